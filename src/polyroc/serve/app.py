"""The pages: upload a file, choose its columns, wait, read the report."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from polyroc.errors import InputError, PolyrocError
from polyroc.io.preview import preview
from polyroc.serve.forms import FIELDS, MORE, ROLES, as_columns, field_spelling
from polyroc.serve.jobs import Job, Queue
from polyroc.serve.security import REPORT_POLICY, Guard, Limits, same_page
from polyroc.serve.suggestions import suggestions
from polyroc.serve.visitors import Upload, Visitor, Visitors

__all__ = ["make_app"]

COOKIE = "polyroc"
ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
BOOKS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
PAGES = Path(__file__).parent / "pages"
_templates = Environment(
    loader=PackageLoader("polyroc.serve", "pages"), autoescape=True, undefined=StrictUndefined
)


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
    visitors, queue = Visitors(limits), Queue(limits.workers, limits.seconds)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        app.state.limits, app.state.visitors, app.state.queue = limits, visitors, queue
        tidying = asyncio.create_task(_tidy(visitors))
        try:
            yield
        finally:
            tidying.cancel()
            await run_in_threadpool(visitors.close)

    return Starlette(
        routes=[
            Route("/", home),
            Route("/files", upload_file, methods=["POST"]),
            Route("/files/{key}", choose),
            Route("/files/{key}/report", start, methods=["POST"]),
            Route("/files/{key}/state", state),
            Route("/files/{key}/report", show),
            Route("/files/{key}/report.html", download),
            Route("/end", end, methods=["POST"]),
            Mount("/static", StaticFiles(directory=PAGES / "static")),
        ],
        exception_handlers={PolyrocError: _bad_request, 404: _not_found, Exception: _server_error},
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts)), Middleware(Guard)],
        lifespan=lifespan,
    )


async def _tidy(visitors: Visitors) -> None:
    while True:
        await asyncio.sleep(min(60.0, visitors.limits.idle / 2))
        await run_in_threadpool(visitors.forget_idle)


async def home(request: Request) -> Response:
    """Where a file is dropped."""
    limits = request.app.state.limits
    return _page("home.html", size=_size(limits.size), bytes=limits.size, endings=ENDINGS)


async def upload_file(request: Request) -> Response:
    """Take a file in, in pieces, never more than the limit."""
    same_page(request)
    limits, visitors = request.app.state.limits, request.app.state.visitors
    name = request.query_params.get("name", "")
    ending = next((each for each in sorted(ENDINGS, key=len, reverse=True) if name.lower().endswith(each)), None)
    if ending is None:
        hint = (
            " A workbook can be saved as CSV (in Excel: Save As, CSV UTF-8)."
            if name.lower().endswith(BOOKS)
            else ""
        )
        raise InputError(
            f"'{name[-80:]}' is not a file of a known kind; upload one of {', '.join(ENDINGS)}.{hint}"
        )
    cookie = request.cookies.get(COOKIE)
    visitor = visitors.get(cookie)
    if visitor is None:
        cookie, visitor = visitors.add()
    if len(visitor.uploads) >= limits.files:
        raise InputError(f"You have {limits.files} files here already; end the session to delete them.")
    key, upload = visitor.new_upload(name, ending)
    try:
        await _receive(request, upload, limits)
    except BaseException:
        upload.delete()
        raise
    visitor.uploads[key] = upload
    answer = JSONResponse({"key": key})
    answer.set_cookie(COOKIE, str(cookie), httponly=True, samesite="strict", path="/")
    return answer


async def _receive(request: Request, upload: Upload, limits: Limits) -> None:
    too_large = _TooLargeError(
        f"The file is larger than {_size(limits.size)}, the limit of this page; for larger files use the "
        "command line: polyroc report FILE."
    )
    if int(request.headers.get("content-length") or 0) > limits.size:
        raise too_large
    got = 0
    try:
        async with asyncio.timeout(limits.seconds):
            with upload.path.open("wb") as file:
                async for piece in request.stream():
                    got += len(piece)
                    if got > limits.size:
                        raise too_large
                    await run_in_threadpool(file.write, piece)
    except TimeoutError:
        raise InputError(f"The file did not arrive within {limits.seconds:g} seconds; try again.") from None
    except OSError as error:
        raise InputError(f"The file could not be stored ({error.strerror}).") from None
    except ClientDisconnect:
        raise InputError("The connection broke before the file was whole.") from None


async def choose(request: Request) -> Response:
    """Show the file's columns and ask what they are."""
    upload = _upload(request)
    try:
        seen = await run_in_threadpool(preview, upload.file)
        if not seen.previewed:
            raise InputError(f"{upload.file.name} has column names but no rows; write the file again.")
    except PolyrocError as error:
        _visitor(request).uploads.pop(request.path_params["key"])
        upload.delete()
        return _page("bad.html", 400, message=error.render(field_spelling))
    suggested = suggestions(seen)
    return _page(
        "choose.html",
        key=request.path_params["key"],
        name=upload.name,
        seen=seen,
        nameless=next((column.name for column in seen.columns if _is_number(column.name)), None),
        parts=ROLES,
        fields=FIELDS,
        more=MORE,
        suggestions=suggested,
        data={
            "columns": [{"name": column.name} for column in seen.columns],
            "suggestions": [each._asdict() for each in suggested],
        },
    )


async def start(request: Request) -> Response:
    """Begin a report with the columns chosen."""
    same_page(request)
    upload = _upload(request)
    columns = as_columns(await request.body())
    if upload.job is not None:
        upload.job.stop()
    with suppress(FileNotFoundError):
        upload.report.unlink()
    upload.job = Job(request.app.state.queue, upload.path, upload.report, columns, upload.name)
    return JSONResponse({})


async def state(request: Request) -> Response:
    """How far the report is."""
    job = _upload(request).job
    if job is None:
        raise InputError("No report was requested yet.")
    now = job.state
    return JSONResponse({"what": now.what, "step": now.step, "done": now.done, "total": now.total})


async def show(request: Request) -> Response:
    """The report as a page; it is in a sandbox, and nothing in it can ask this server for anything."""
    return FileResponse(
        _finished(request), media_type="text/html", headers={"content-security-policy": REPORT_POLICY}
    )


async def download(request: Request) -> Response:
    """The report as a file."""
    return FileResponse(_finished(request), media_type="text/html", filename="report.html")


async def end(request: Request) -> Response:
    """Delete everything that this visitor brought."""
    same_page(request)
    await run_in_threadpool(request.app.state.visitors.remove, request.cookies.get(COOKIE))
    answer = JSONResponse({})
    answer.delete_cookie(COOKIE, path="/")
    return answer


class _TooLargeError(InputError):
    """More than the limit."""


class _NothingError(PolyrocError):
    """Not there, or not theirs: the same answer."""


def _visitor(request: Request) -> Visitor:
    visitor: Visitor | None = request.app.state.visitors.get(request.cookies.get(COOKIE))
    if visitor is None:
        raise _NothingError("This session has ended and its data were deleted; upload the file again.")
    return visitor


def _upload(request: Request) -> Upload:
    upload = _visitor(request).uploads.get(request.path_params["key"])
    if upload is None:
        raise _NothingError("There is no such file in this session; upload it again.")
    return upload


def _finished(request: Request) -> Path:
    upload = _upload(request)
    if upload.job is None or upload.job.state.what != "done":
        raise _NothingError("The report is not ready.")
    return upload.report


async def _bad_request(request: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, _NothingError) else 413 if isinstance(error, _TooLargeError) else 400
    message = error.render(field_spelling) if isinstance(error, PolyrocError) else str(error)
    return _answer(request, message, status)


async def _not_found(request: Request, error: Exception) -> Response:  # noqa: ARG001 - starlette gives it
    return _answer(request, "There is no such page here.", 404)


async def _server_error(request: Request, error: Exception) -> Response:
    return _answer(request, f"Internal error ({type(error).__name__}).", 500)


def _answer(request: Request, message: str, status: int) -> Response:
    """A page for a person, a record for the page's own script."""
    if "text/html" in request.headers.get("accept", ""):
        return _page("bad.html", status, message=message)
    return JSONResponse({"message": message}, status)


def _page(template: str, status: int = 200, /, **values: Any) -> Response:
    return HTMLResponse(_templates.get_template(template).render(**values), status)


def _is_number(name: str) -> bool:
    try:
        float(name.replace(",", "."))
    except ValueError:
        return False
    return True


def _size(n: int) -> str:
    return f"{n / 2**20:,.0f} MB" if n >= 2**20 else f"{n / 2**10:,.0f} kB"
