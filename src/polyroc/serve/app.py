"""The pages: upload a file, choose its columns, wait, read the report; operating points and sample sizes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from polyroc.errors import InputError, PolyrocError
from polyroc.io.other_formats import other_program
from polyroc.io.sources import DataFile
from polyroc.serve.commands import command_line, data_options, python_lines, size_options, term_options
from polyroc.serve.forms import (
    FIELDS,
    MORE,
    OF_REPORTS,
    READING,
    ROLES,
    SEVERAL,
    as_columns,
    as_question,
    as_reading,
    as_study,
    as_terms,
    field_spelling,
    form_data,
)
from polyroc.serve.jobs import Job, Queue
from polyroc.serve.limits import BusyError, Limits, NotHereError, size_text
from polyroc.serve.security import REPORT_POLICY, Guard, body_pieces, form_body, same_page
from polyroc.serve.suggestions import point_suggestions
from polyroc.serve.tasks import choose_point, make_report, plan_size, preview_file, shortened
from polyroc.serve.visitors import Upload, Visitor, Visitors

__all__ = ["make_app"]

COOKIE = "polyroc"
STATE = ("what", "step", "done", "total", "place", "length")
ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".xlsx", ".parquet")
PAGES = Path(__file__).parent / "pages"
MANY_BYTES = 4_000_000  # of a file that may have so many rows that the command line would not read them all
PREVIEWS = 2  # files whose first rows are read at the same time, besides the reports
_templates = Environment(
    loader=PackageLoader("polyroc.serve", "pages"), autoescape=True, undefined=StrictUndefined
)
_templates.filters["shortened"] = shortened


def make_app(limits: Limits | None = None, hosts: tuple[str, ...] = ("127.0.0.1", "localhost")) -> Starlette:
    """The server as an application that any ASGI server runs.

    Parameters
    ----------
    limits
        How large, how long, how many.
    hosts
        The names under which it may be addressed; any other is rejected, so that no web page from elsewhere can
        talk to it under a name of its own. ("*",) for all.
    """
    limits = limits or Limits()
    visitors = Visitors(limits)
    queue = Queue(limits.workers, limits.queue, limits.seconds, limits.memory)
    previews = Queue(PREVIEWS, limits.visitors, limits.preview_seconds, limits.memory)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.limits, app.state.visitors, app.state.queue, app.state.previews = (
            limits,
            visitors,
            queue,
            previews,
        )
        tidying = asyncio.create_task(_tidy(visitors))
        try:
            yield
        finally:
            tidying.cancel()
            await run_in_threadpool(visitors.close)

    return Starlette(
        routes=[
            Route("/", home),
            Route("/operating-point", home),
            Route("/sample-size", sample_size),
            Route("/sample-size", plan, methods=["POST"]),
            Route("/files", upload_file, methods=["POST"]),
            Route("/files/{key}", choose),
            Route("/files/{key}/operating-point", choose),
            Route("/files/{key}/report", start, methods=["POST"]),
            Route("/files/{key}/operating-point", start_point, methods=["POST"]),
            Route("/files/{key}/state", state),
            Route("/files/{key}/point", point),
            Route("/files/{key}/report", show),
            Route("/files/{key}/report.html", download),
            Route("/files/{key}/rule.json", rule),
            Route("/end", end, methods=["POST"]),
            Mount("/static", StaticFiles(directory=PAGES / "static")),
        ],
        exception_handlers={PolyrocError: _bad_request, 404: _not_found, Exception: _server_error},
        middleware=[Middleware(Guard, hosts=hosts)],
        lifespan=lifespan,
    )


async def _tidy(visitors: Visitors) -> None:
    while True:
        await asyncio.sleep(min(60.0, visitors.limits.idle / 2))
        await run_in_threadpool(visitors.forget_idle)


async def home(request: Request) -> Response:
    """Where a file is dropped."""
    limits = request.app.state.limits
    waiting = len(request.app.state.queue)
    task = _task(request)
    return _page(request, "home.html", size=size_text(limits.size), endings=ENDINGS, waiting=waiting, task=task)


def _task(request: Request) -> str:
    """What the file is for: the report, or an operating point."""
    return "operating-point" if request.url.path.endswith("/operating-point") else "report"


async def upload_file(request: Request) -> Response:
    """Receive a file, in pieces, within the limits."""
    same_page(request)
    visitors: Visitors = request.app.state.visitors
    name = request.query_params.get("name", "")
    with visitors.new_upload(request.cookies.get(COOKIE), name, _ending(name)) as (visitor, key, upload):
        await _receive(request, upload, visitors)
    response = JSONResponse({"key": key})
    response.set_cookie(COOKIE, visitor.cookie, httponly=True, samesite="strict", path="/")
    return response


def _ending(name: str) -> str:
    """The ending of a file, which must be known."""
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if name.lower().endswith(ending):
            return ending
    if (message := other_program(DataFile(Path(name[-80:])))) is not None:
        raise InputError(message)
    raise InputError(f"'{name[-80:]}' is not a file of a known kind; upload one of {', '.join(ENDINGS)}.")


async def _receive(request: Request, upload: Upload, visitors: Visitors) -> None:
    limits = visitors.limits
    too_large = (
        f"The file is larger than {size_text(limits.size)}, the limit of this page; for larger files use the "
        "command line: polyroc report FILE."
    )
    visitors.check_space(int(request.headers.get("content-length") or 0))
    try:
        with upload.path.open("wb") as file:
            async for piece in body_pieces(request, limits.size, too_large, limits):
                visitors.check_space(len(piece))
                upload.size += len(piece)
                await run_in_threadpool(file.write, piece)
    except OSError as error:
        raise InputError(f"The file could not be stored ({error.strerror}).") from None
    if upload.size == 0:
        raise InputError(f"'{upload.name[-80:]}' is empty (0 bytes); write the file again.")


async def choose(request: Request) -> Response:
    """Show the file's columns and ask what they are."""
    upload, key = _upload(request), request.path_params["key"]
    seen = await _preview(request, upload, as_reading(request.query_params))
    if isinstance(seen, str):
        _visitor(request).uploads.pop(key, None)
        await run_in_threadpool(upload.delete)
        return _page(request, "bad.html", 400, message=seen)
    task = _task(request)
    if "asks" in seen:
        return _page(request, "reading.html", 400, seen=seen, fields=FIELDS, task=task, name=upload.name)
    if task == "operating-point":
        seen = {**seen, "suggestions": point_suggestions(seen["suggestions"])}
    names = [column["name"] for column in seen["columns"]]
    return _page(
        request,
        "choose.html",
        key=key,
        name=upload.name,
        task=task,
        seen=seen,
        nameless=next((name for name in names if _is_number(name)), None),
        encodable=upload.path.name.endswith((".csv", ".tsv", ".txt", ".gz")),
        roles=ROLES,
        of_reports=OF_REPORTS,
        fields=FIELDS,
        more=MORE,
        reading=READING,
        data={
            "columns": names,
            "classes": {column["name"]: column["classes"] for column in seen["columns"] if column["classes"]},
            "suggestions": seen["suggestions"],
            "names": seen["names"],
            "reading": seen["reading"],
            "several": SEVERAL,
            "task": task,
        },
    )


async def _preview(request: Request, upload: Upload, reading: dict[str, Any]) -> Any:
    """What `preview_file` returns, or the reason why it failed; the file is read once for each way to read it."""
    limits = request.app.state.limits
    if upload.preview is not None and upload.reading != reading:
        upload.preview.stop()
        upload.preview = None
    upload.reading = reading
    if upload.preview is None or upload.preview.state.what == "stopped":
        upload.preview = Job(
            request.app.state.previews,
            "Reading the file",
            upload.folder,
            preview_file,
            upload.path,
            upload.name,
            limits,
            reading,
        )
    return await _ended(request, upload.preview)


async def _ended(request: Request, job: Job) -> Any:
    """The result of a short job, or the reason why it failed."""
    try:
        async with asyncio.timeout(2 * request.app.state.limits.preview_seconds):
            while not job.ended:
                await asyncio.sleep(0.05)
    except TimeoutError:
        raise BusyError(
            f"Files of other visitors are read first ({job.state.length} in the queue); reload this page in a "
            "minute."
        ) from None
    state = job.state
    return state.result if state.what == "done" else state.step or "The session was ended."


async def start(request: Request) -> Response:
    """Begin a report with the columns chosen."""
    same_page(request)
    limits = request.app.state.limits
    _upload(request)  # before anything is received
    columns = as_columns(await form_body(request, limits))
    upload = _upload(request)
    if upload.job is not None:
        upload.job.stop()
    with suppress(FileNotFoundError):
        upload.report.unlink()
    options = {"path": "report.html", "title": upload.name, **({"by": columns["by"]} if "by" in columns else {})}
    is_study = "reader" in columns
    columns = as_study(columns) if is_study else columns
    arguments = data_options(columns)
    whole = None if arguments is None else [upload.name, *arguments, *([] if is_study else _in_memory(upload))]
    line = command_line("reader-study" if is_study else "report", whole)
    python = python_lines("report", upload.name, columns, options)
    where = (upload.path, upload.name, limits, upload.report)
    repeat = python if line is None else [line]
    upload.job = Job(request.app.state.queue, "The report", upload.folder, make_report, *where, columns, repeat)
    return JSONResponse({"command": line, "python": "\n".join(python)})


def _in_memory(upload: Upload) -> list[str]:
    """The page reads all cases into memory; of very many rows the command line does so on request."""
    return ["--engine", "memory"] if upload.size > MANY_BYTES else []


async def start_point(request: Request) -> Response:
    """Begin to choose an operating point."""
    same_page(request)
    limits = request.app.state.limits
    _upload(request)
    body = await form_body(request, limits)
    columns, terms = as_columns(body), as_terms(form_data(body))
    for name in OF_REPORTS:
        if name in columns:
            raise InputError(f'An operating point has no role "{ROLES[name]}"; set the column to "not used".')
    upload = _upload(request)
    if upload.point is not None:
        upload.point.stop()
    arguments, more = data_options(columns), term_options(terms)
    whole = None if arguments is None or more is None else [upload.name, *arguments, *more]
    where = (upload.path, upload.name, limits)
    subject = "The operating point"
    upload.point = Job(request.app.state.queue, subject, upload.folder, choose_point, *where, columns, terms)
    python = python_lines("operate", upload.name, columns, terms)
    return JSONResponse({"command": command_line("operate", whole), "python": "\n".join(python)})


async def state(request: Request) -> Response:
    """The progress of the report or the operating point, and its place in the queue."""
    upload = _upload(request)
    job = upload.point if request.query_params.get("task") == "operating-point" else upload.job
    if job is None:
        raise InputError("No report was requested yet.")
    now = job.state
    return JSONResponse({name: getattr(now, name) for name in STATE})


async def point(request: Request) -> Response:
    """The operating point as tables and sentences."""
    return JSONResponse(_chosen(request))


async def rule(request: Request) -> Response:
    """The rule of the operating point as a file."""
    headers = {"content-disposition": 'attachment; filename="rule.json"'}
    return Response(_chosen(request)["rule"], media_type="application/json", headers=headers)


def _chosen(request: Request) -> dict[str, Any]:
    job = _upload(request).point
    if job is None or job.state.what != "done":
        raise NotHereError("The operating point is not ready.")
    result: dict[str, Any] = job.state.result
    return result


async def sample_size(request: Request) -> Response:
    """The form of a sample size."""
    return _page(request, "size.html", task="sample-size")


async def plan(request: Request) -> Response:
    """Plan a sample size."""
    same_page(request)
    limits, visitors = request.app.state.limits, request.app.state.visitors
    question = as_question(await form_body(request, limits))
    job = Job(request.app.state.previews, "The plan", visitors.folder, plan_size, question)
    planned = await _ended(request, job)
    if isinstance(planned, str):
        raise InputError(planned)
    arguments = ", ".join(f"{name}={value!r}" for name, value in question.items())
    python = f"import polyroc as pr\nprint(pr.sample_size({arguments}).sentence())"
    return JSONResponse(
        {**planned, "command": command_line("sample-size", size_options(question)), "python": python}
    )


async def show(request: Request) -> Response:
    """The report as a page; it is in a sandbox, and nothing in it can ask this server for anything."""
    return FileResponse(
        _finished(request), media_type="text/html", headers={"content-security-policy": REPORT_POLICY}
    )


async def download(request: Request) -> Response:
    """The report as a file."""
    return FileResponse(_finished(request), media_type="text/html", filename="report.html")


async def end(request: Request) -> Response:
    """Delete everything that this visitor uploaded."""
    same_page(request)
    await run_in_threadpool(request.app.state.visitors.remove, request.cookies.get(COOKIE))
    answer = JSONResponse({})
    answer.delete_cookie(COOKIE, path="/")
    return answer


def _visitor(request: Request) -> Visitor:
    visitor: Visitor | None = request.app.state.visitors.get(request.cookies.get(COOKIE))
    if visitor is None:
        raise NotHereError("This session has ended and its data were deleted; upload the file again.")
    return visitor


def _upload(request: Request) -> Upload:
    upload = _visitor(request).uploads.get(request.path_params["key"])
    if upload is None:
        raise NotHereError("There is no such file in this session; upload it again.")
    return upload


def _finished(request: Request) -> Path:
    upload = _upload(request)
    if upload.job is None or upload.job.state.what != "done":
        raise NotHereError("The report is not ready.")
    return upload.report


async def _bad_request(request: Request, error: Exception) -> Response:
    message = error.render(field_spelling) if isinstance(error, PolyrocError) else str(error)
    response = _answer(request, message, getattr(error, "status", 400))
    if isinstance(error, BusyError):
        response.headers["retry-after"] = "30"
    return response


async def _not_found(request: Request, error: Exception) -> Response:  # noqa: ARG001 - starlette gives it
    return _answer(request, "There is no such page here.", 404)


async def _server_error(request: Request, error: Exception) -> Response:
    return _answer(request, f"Internal error ({type(error).__name__}).", 500)


def _answer(request: Request, message: str, status: int) -> Response:
    """A page for a person, a record for the page's own script."""
    if "text/html" in request.headers.get("accept", ""):
        return _page(request, "bad.html", status, message=message)
    return JSONResponse({"message": message}, status)


def _page(request: Request, template: str, status: int = 200, /, **values: Any) -> Response:
    shown = {"task": "", **values}
    page = _templates.get_template(template).render(limits=request.app.state.limits, **shown)
    return HTMLResponse(page, status)


def _is_number(name: str) -> bool:
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True
