// Browsers refuse workers in pages that are opened as files. The search then runs in a hidden frame instead.
// The theme's worker knows this by the name IFrameWorker.
if (location.protocol === "file:") {
  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      window.addEventListener("message", (event) => {
        if (event.source !== this.frame.contentWindow) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      });
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.ready = new Promise((resolve) => {
        this.frame.onload = resolve;
      });
      const script = document.createElement("script");
      script.src = url;
      // A worker's postMessage goes to whom made it, a frame's to itself.
      this.frame.srcdoc =
        "<!doctype html><script>" +
        "self.postMessage = (data) => parent.postMessage(data, '*');" +
        "</" + "script>" + script.outerHTML;
      document.body.appendChild(this.frame);
    }

    postMessage(data) {
      this.ready.then(() => {
        const inner = this.frame.contentWindow;
        inner.dispatchEvent(new inner.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  }
  window.IFrameWorker = window.Worker = IFrameWorker;
}
