# A headless Chromium that a test drives through a pipe (the DevTools protocol), without packages.
#
#   with Chromium() as browser:
#       page = browser.open("/tmp/report.html", width=360, dark=True)
#       page.eval("document.title")
#       page.key("ArrowRight")
#       page.screenshot("page.png")
#       page.pdf("page.pdf")
#       page.problems        # errors of scripts, of the console, and requests that were refused
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile

LIMIT = 60  # seconds for an answer
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def program():
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


class Chromium:
    def __enter__(self):
        self.profile = tempfile.mkdtemp()
        to_child, self.to_write = os.pipe()
        self.to_read, from_child = os.pipe()

        def in_child():  # the pipes are descriptors 3 and 4 there
            os.dup2(to_child, 30), os.dup2(from_child, 31), os.dup2(30, 3), os.dup2(31, 4)

        self.process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--hide-scrollbars",
             "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + self.profile, "--remote-debugging-pipe"],
            preexec_fn=in_child, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child), os.close(from_child)
        self.number = 0
        self.rest = b""
        self.events = []
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, EOFError, TimeoutError):
            pass
        self.process.wait(20)
        os.close(self.to_write), os.close(self.to_read)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.rest:
            if not select.select([self.to_read], [], [], LIMIT)[0]:
                self.process.kill()
                raise TimeoutError(f"no answer from chromium for {LIMIT} s")
            some = os.read(self.to_read, 1 << 20)
            if not some:
                raise EOFError("chromium has ended")
            self.rest += some
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_write, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width=1200, height=900, dark=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, path, width, height, dark)


class Page:
    def __init__(self, browser, session, path, width, height, dark):
        self.browser, self.session = browser, session
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        # A page that is not in front gets keys late or never.
        self.call("Page.bringToFront")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while self.eval("document.readyState") != "complete":
            pass
        self.settle()

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 500)

    # The value of an expression, also of a promise.
    def eval(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    # Waits until the page is drawn.
    def settle(self):
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def text(self, selector):
        return self.eval(f"document.querySelector({json.dumps(selector)})?.textContent")

    def key(self, key, shift=False):
        text = {"text": key} if len(key) == 1 else {}
        codes = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34}
        common = {"key": key, "modifiers": 8 if shift else 0, "windowsVirtualKeyCode": codes.get(key, ord(key[0]))}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path, whole=False):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    # As printed on A4.
    def pdf(self, path):
        data = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=True)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    @property
    def problems(self):
        self.eval("0")
        found = []
        for event in self.browser.events:
            method, data = event["method"], event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(data["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
                found.append(data["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
                found.append(str(data["args"]))
            elif method == "Network.requestWillBeSent" and not data["request"]["url"].startswith(("file:", "data:")):
                found.append("request of " + data["request"]["url"])
        return found
