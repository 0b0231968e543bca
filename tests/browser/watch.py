"""What a browser must never do on our pages: call elsewhere, complain, or open a dialog."""

from dataclasses import dataclass, field

from playwright.async_api import BrowserContext, ConsoleMessage, Dialog, Request, Response, WebError

_OWN_SCHEMES = ("data:", "blob:", "about:")
_REFUSED = "Failed to load resource: the server responded with a status of 4"


@dataclass
class Watch:
    """Looks on while a test visits pages; `trouble` is empty if all was well."""

    origin: str
    foreign: list[str] = field(default_factory=list[str])
    dialogs: list[str] = field(default_factory=list[str])
    _said: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    _refused: set[str] = field(default_factory=set[str])
    _tolerated: list[str] = field(default_factory=list[str])

    def attach(self, context: BrowserContext) -> None:
        """Look at every page of this context."""
        context.on("request", self._request)
        context.on("response", self._response)
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("dialog", self._dialog)

    def tolerate(self, text: str) -> None:
        """The browser may complain with these words: the test itself is the reason."""
        self._tolerated.append(text)

    @property
    def trouble(self) -> list[str]:
        """Everything that should not have happened."""
        said = [f"console: {text} ({url})" for text, url in self._said if self._matters(text, url)]
        return [f"foreign: {url}" for url in self.foreign] + self.dialogs + said

    def _matters(self, text: str, url: str) -> bool:
        # Chromium reports a page that came with 409 or 422 as an error; people see that page.
        if text.startswith(_REFUSED) and url.partition("#")[0] in self._refused:
            return False
        return not any(each in text for each in self._tolerated)

    def _request(self, request: Request) -> None:
        if not request.url.startswith((f"{self.origin}/", *_OWN_SCHEMES)):
            self.foreign.append(request.url)

    def _response(self, response: Response) -> None:
        if response.status >= 400 and response.request.is_navigation_request():
            self._refused.add(response.url.partition("#")[0])

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._said.append((message.text, message.location.get("url", "")))

    def _error(self, error: WebError) -> None:
        self._said.append((str(error.error), "script"))

    async def _dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(f"dialog: {dialog.message}")
        await dialog.dismiss()
