"""The server as its visitors meet it: a real process, real requests; what it must not do, it does not do."""

import gzip
import re
import signal
import subprocess
import sys
from importlib.resources import files
from io import BytesIO

import httpx
import openpyxl
import pytest

from chromium import keyboard_faults, violations
from polyroc.datasets import catalogue
from polyroc.errors import InputError
from polyroc.messages import Option
from polyroc.serve.forms import FIELDS, as_columns, as_question, as_terms, field_spelling
from serve_process import PETS, PETS_COLUMNS, Server, finished, upload


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("serve"), "--max-size", "1")
    yield server
    server.stop()


@pytest.mark.slow
def test_two_visitors_at_once_do_not_see_each_other(server):
    with server.visitor() as one, server.visitor() as two:
        mine, theirs = upload(one), upload(two, PETS.replace("cat", "fox"))
        assert "fox" not in one.get(f"/files/{mine}").text
        for path in ("", "/state", "/report", "/report.html"):
            assert one.get(f"/files/{theirs}{path}").status_code == 404
        assert one.post(f"/files/{theirs}/report", json=PETS_COLUMNS).status_code == 404
        assert one.post("/end").status_code == 200
        assert one.get(f"/files/{mine}").status_code == 404
        assert two.get(f"/files/{theirs}").status_code == 200
        two.post("/end")


@pytest.mark.slow
def test_nothing_of_a_visitor_is_left_at_the_end(server):
    with server.visitor() as visitor:
        before = server.files()
        upload(visitor)
        assert len(server.files()) == len(before) + 1
        visitor.post("/end")
        assert server.files() == before


def test_a_file_that_is_too_large_is_rejected_and_not_kept(server):
    with server.visitor() as visitor:
        before = server.files()
        large = b"x" * (2**20 + 1)
        answer = visitor.post("/files", params={"name": "a.csv"}, content=large)
        assert answer.status_code == 413
        assert "larger than 1 MB" in answer.json()["message"]
        in_pieces = (large[i : i + 2**16] for i in range(0, len(large), 2**16))  # no length is sent beforehand
        assert visitor.post("/files", params={"name": "a.csv"}, content=in_pieces).status_code == 413
        assert server.files() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"kind,p_cat,p_dog\n", "no rows"),
        ("a.parquet", b"PAR1 but no more", "cannot be read|not a Parquet"),
        ("a.csv.gz", b"not packed", "gzip"),
        ("a.csv.gz", gzip.compress(PETS.encode(), mtime=0)[:-9], "decompressed|cannot be read"),
    ],
    ids=["names alone", "not Parquet", "not packed", "cut off"],
)
def test_a_bad_file_gets_a_page_that_says_why_and_is_deleted(server, name, content, message):
    with server.visitor() as visitor:
        before = server.files()
        key = upload(visitor, content, name)
        page = visitor.get(f"/files/{key}", headers={"accept": "text/html"})
        assert page.status_code == 400
        assert re.search(message, page.text)
        assert str(server.folder) not in page.text
        assert server.files() == before
        visitor.post("/end")


@pytest.mark.parametrize("name", ["passwd", "a.exe", "a.csv.sh", "", "a.json"])
def test_files_of_other_kinds_are_rejected(server, name):
    with server.visitor() as visitor:
        answer = visitor.post("/files", params={"name": name}, content=PETS)
        assert answer.status_code == 400
        assert "known kind" in answer.json()["message"]


def test_files_of_other_programs_are_rejected_with_a_way_out(server):
    with server.visitor() as visitor:
        for name, advice in (("a.XLS", "save it as .xlsx or as CSV"), ("a.rds", "write.csv")):
            answer = visitor.post("/files", params={"name": name}, content=PETS)
            assert answer.status_code == 400
            assert advice in answer.json()["message"]


@pytest.mark.slow
def test_a_workbook_is_read(server):
    book, content = openpyxl.Workbook(), BytesIO()
    for line in PETS.splitlines():
        book.active.append(line.split(","))
    book.save(content)
    with server.visitor() as visitor:
        page = visitor.get(f"/files/{upload(visitor, content.getvalue(), 'a.xlsx')}").text
        assert "p_cat" in page
        assert str(server.folder) not in page
        visitor.post("/end")


@pytest.mark.slow
def test_a_file_without_names_of_columns_is_noticed(server):
    with server.visitor() as visitor:
        page = visitor.get(f"/files/{upload(visitor, PETS.split(maxsplit=1)[1])}").text
        assert "its first case is lost" in page
        assert "its first case is lost" not in visitor.get(f"/files/{upload(visitor)}").text
        visitor.post("/end")


def test_messages_name_fields_of_the_form():
    assert field_spelling(Option("pos_label", "b", "a")) == "\"Positive class\" ('b' or 'a')"
    assert field_spelling(Option("labels", [...])) == '"Classes in order"'
    assert field_spelling(Option("missing", "drop")) == '"Drop rows with missing values" under "More options"'
    assert field_spelling(Option("engine", "memory")) == "engine='memory' in Python"  # it has no field
    page = (files("polyroc.serve") / "pages" / "choose.html").read_text(encoding="utf-8")
    assert "data-reversed" in page  # one for each score
    assert all(f"fields.{option}" in page for option in FIELDS)
    assert all(f'id="{option}"' in page for option in FIELDS if option != "negate")


@pytest.mark.slow
def test_names_of_files_are_never_paths(server):
    with server.visitor() as visitor:
        key = upload(visitor, name="../../../../etc/cron.d/x.csv")
        assert "etc/cron.d" in visitor.get(f"/files/{key}").text
        assert "upload.csv" in server.files()
        visitor.post("/end")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/%2e%2e/app.py",
        "/static/..%2f..%2fapp.py",
        "/static//etc/passwd",
        "/files/../../etc/passwd",
        "/files/%2e%2e%2fupload.csv/report",
        "/files/..%5c..%5cx",
        "/docs",
    ],
)
def test_no_file_of_the_server_can_be_reached(server, path):
    with server.connect() as raw:  # so that nothing tidies the path up on the way
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(65536), b""))
    assert b" 404 " in answer.split(b"\r\n", 1)[0]


def test_other_pages_cannot_use_it(server):
    with httpx.Client(base_url=server.address) as bare:
        assert bare.post("/files", params={"name": "a.csv"}, content=PETS).status_code == 400
        assert bare.post("/end").status_code == 400
        assert bare.get("/", headers={"host": "evil.example"}).status_code == 400
        page = bare.get("/")
    assert page.status_code == 200
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_cookies_are_for_this_site_and_not_for_scripts(server):
    with server.visitor() as visitor:
        answer = visitor.post("/files", params={"name": "a.csv"}, content=PETS)
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        visitor.post("/end")


@pytest.mark.slow
def test_hostile_names_stay_text(server):
    column = "<script>alert(1)</script>"
    text = f'"{column}",p_a,p_b\n"</script><b>",0.1,0.9\nb,0.2,0.8\n'
    with server.visitor() as visitor:
        page = visitor.get(f"/files/{upload(visitor, text, '<img src=x>.csv')}").text
        assert len(re.findall(r'<script src="/static/\w+\.js"></script>', page)) == page.count("<script") - 1
        assert "<b>" not in page.replace("<b>true class</b>", "").replace("<b>score</b>", "")
        assert "<img" not in page
        visitor.post("/end")


@pytest.mark.slow
def test_from_a_file_to_a_report_in_a_browser(server, browser, tmp_path):
    seen: list[str] = []

    def add_unless(expected, text):
        if not expected:
            seen.append(text)

    context = browser.new_context(accept_downloads=True)
    page = context.new_page()
    page.on("console", lambda line: add_unless(line.type != "error", line.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on(
        "request",
        lambda request: add_unless(request.url.startswith((server.address, "data:", "blob:")), request.url),
    )
    page.goto(server.address)
    page.set_input_files("#file", catalogue.path("iris_predictions"))
    page.wait_for_selector("#columns")
    assert violations(page, "light", "dark") == []
    assert set(page.eval_on_selector_all("select[data-column]", "all => all.map((one) => one.value)")) == {
        ""
    }  # nothing is guessed
    page.click("button.main")
    page.wait_for_selector("#message.error")
    assert "true classes" in page.inner_text("#message")
    page.click("#use-suggestions")
    page.click("button.main")
    page.wait_for_selector("#done:not([hidden])", timeout=120_000)
    report = page.frame_locator("#report")
    report.locator("h2", has_text="Conclusion").wait_for(timeout=60_000)
    with page.expect_download() as download:
        page.click("#download")
    path = tmp_path / "report.html"
    download.value.save_as(path)
    assert "virginica" in path.read_text(encoding="utf-8")
    page.click("#end")
    page.wait_for_selector("#drop")
    assert context.cookies() == []
    context.close()
    assert seen == []


@pytest.mark.slow
def test_every_role_that_is_chosen_is_sent(server, browser, tmp_path):
    """Weights were left out without a word."""
    cells = [f"{'yx'[k % 2]},{(7 * k) % 12},{1 + k % 3},{k // 2}" for k in range(24)]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["truth,score,weight,patient", *cells]))
    page = browser.new_page()
    page.goto(server.address)
    page.set_input_files("#file", path)
    page.wait_for_selector("#columns")
    for number, role in enumerate(("truth", "scores", "sample_weight", "groups")):
        page.select_option(f"select[data-column='{number}']", role)
    page.select_option("#pos_label", "y")
    page.click("button.main")
    page.wait_for_selector("#done:not([hidden])", timeout=120_000)
    command = page.inner_text("#command")
    page.click("#end")
    page.close()
    for option in (
        "--truth truth",
        "--scores score",
        "--sample-weight weight",
        "--groups patient",
        "--pos-label y",
    ):
        assert option in command


@pytest.mark.slow
def test_classes_by_keyboard_an_operating_point_and_a_sample_size(server, browser, tmp_path):
    rows = [f"{stage};{place + shift},5;{20 + shift}" for place, stage in enumerate("abc") for shift in range(6)]
    path = tmp_path / "stufen.csv"
    path.write_bytes("\n".join(["Körperstufe;Marker;Age", *rows]).encode("latin-1"))
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{server.address}operating-point")
    page.set_input_files("#file", path)
    page.wait_for_selector("#reading")  # it is not UTF-8: the page asks
    page.keyboard.press("Tab")
    page.focus("button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector("#columns")
    assert "Körperstufe" in page.inner_text("table.roles")
    assert "0.5 to 7.5" in page.inner_text("table.roles")  # decimal commas are recognised
    page.click("#use-suggestions")
    assert "Next: choose the column or columns of the scores" in page.inner_text("#message")
    page.locator("select[data-column='1']").press("s")
    page.locator("#ordered").press("Space")
    page.get_by_label("Move c earlier").press("Enter")
    page.keyboard.press("Enter")  # the button keeps the focus while its chip moves
    assert page.inner_text("#chips bdi >> nth=0") == "c"
    assert page.inner_text("#moved") == "c is now number 1 of 3."
    page.locator("#chips li").first.drag_to(page.locator("#chips li").last)
    assert page.locator("#chips bdi").all_inner_texts() == ["a", "b", "c"]
    page.click("button.main")
    page.wait_for_selector("#done:not([hidden])", timeout=120_000)
    assert page.locator("#table-of-results tbody tr").count() == 3
    assert violations(page) == []
    assert keyboard_faults(page) == []
    assert page.locator("[data-two]:disabled").count() == 3  # criteria of two classes, and here are three
    command = "--truth Körperstufe --scores Marker --decimal , --encoding cp1252 --labels a,b,c --criterion youden"
    assert command in page.inner_text("#command").replace('"', "")
    page.goto(f"{server.address}sample-size")
    page.locator("#measure").press("Enter")
    page.click("button.main")
    page.wait_for_selector("#done:not([hidden])", timeout=120_000)
    assert "give a power of 0.8" in page.inner_text("#done")
    assert violations(page, "light", "dark") == []
    assert keyboard_faults(page) == []
    assert page.inner_text("#command") == "polyroc sample-size --measure auc --value 0.85 --null 0.75"
    page.close()
    assert errors == []


@pytest.mark.slow
def test_reports_by_request_alone(server):
    with server.visitor() as visitor:
        key = upload(visitor)
        assert visitor.get(f"/files/{key}/report").status_code == 404  # not ready
        failed = finished(visitor, key, {"truth": "kind", "scores": ["p_cat", "p_dog"]})
        assert "positive class" in failed["step"]
        failed = finished(visitor, key, {"truth": "kynd", "scores": ["p_cat", "p_dog"]})
        assert "'pets.csv' has no column 'kynd'" in failed["step"]
        assert str(server.folder) not in failed["step"]
        assert finished(visitor, key)["what"] == "done"
        page = visitor.get(f"/files/{key}/report")
        assert page.headers["content-security-policy"].startswith("sandbox")
        assert "allow-same-origin" not in page.headers["content-security-policy"]
        saved = visitor.get(f"/files/{key}/report.html")
        assert "attachment" in saved.headers["content-disposition"]
        visitor.post("/end")


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_everything_is_deleted_when_the_server_stops(tmp_path, how):
    server = Server(tmp_path)
    with server.visitor() as visitor:
        upload(visitor)
        assert server.files() == ["upload.csv"]
    server.stop(how)
    assert server.files() == []


@pytest.mark.slow
def test_a_port_that_is_taken_is_reported(server):
    port = server.address.rstrip("/").rsplit(":", 1)[1]
    command = [sys.executable, "-c", "from polyroc.cli import main; main()", "serve", "--port", port]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "the port may be in use" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not a choice"),
        (b"[]", "not a choice"),
        (b"[" * 100_000, "not a choice"),
        (b'{"truth":' * 100_000, "not a choice"),
        (b'{"scores": ["p"]}', "true classes"),
        (b'{"truth": "y"}', "columns of the scores"),
        (b'{"truth": "y", "scores": []}', "columns of the scores"),
        (b'{"truth": "y", "scores": [1]}', "columns of the scores"),
        (b'{"truth": "y", "scores": ["p"], "labels": "a"}', "list of their names"),
        (b'{"truth": "y", "scores": ["p"], "by": [1]}', "list of their names"),
        (b'{"truth": "y", "scores": ["p"], "reversed": "p"}', "list of columns"),
        (b'{"truth": "y", "scores": ["p"], "names": {"p": []}}', "must be texts"),
        (b'{"truth": "y", "scores": ["p"], "encoding": "%s"}' % (b"x" * 999), "too long"),
    ],
)
def test_what_is_not_a_choice_of_columns_is_rejected(body, message):
    with pytest.raises(InputError, match=message):
        as_columns(body)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({}, "Choose what the rule"),
        ({"aim": "sensitivity"}, "Give the least sensitivity"),
        ({"aim": "specificity", "rate": "much"}, "must be a number"),
        ({"aim": "costs"}, "The costs must be lists"),
        ({"aim": "costs", "costs": [["a", "b", ""]]}, "The costs must be lists"),
        ({"aim": "costs", "costs": [["a", "b", "nan"]]}, "must be a number"),
    ],
)
def test_what_is_not_an_aim_is_rejected(sent, message):
    with pytest.raises(InputError, match=message):
        as_terms(sent)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{}", "Choose a measure"),
        (b'{"measure": "auc", "value": "0,85"}', "must be a number"),
        (b'{"measure": "auc", "n": "30.5"}', "whole numbers"),
        (b'{"measure": "auc", "ratio": "one"}', "must be a number"),
    ],
)
def test_what_is_not_a_question_about_a_sample_size_is_rejected(body, message):
    with pytest.raises(InputError, match=message):
        as_question(body)
