// FrameDecoder paints the frames that come over the WebSocket on a canvas: with
// WebCodecs, or JPEG by JPEG.

const decoderCodecs = { vp8: "vp8", h264: "avc1.42e01f" };

// supported returns the first of the codecs that this browser can show. WebCodecs
// exist on pages that come over https or from this machine.
export async function supported(codecs) {
  for (const codec of codecs) {
    if (codec === "jpeg") return codec;
    if (!(codec in decoderCodecs) || !globalThis.VideoDecoder) continue;
    try {
      const answer = await VideoDecoder.isConfigSupported({ codec: decoderCodecs[codec], optimizeForLatency: true });
      if (answer.supported) return codec;
    } catch {
      // the browser does not know the codec
    }
  }
  return null;
}

export class FrameDecoder {
  #canvas;
  #paint;
  #decoder = null;
  #waitForKey = true;
  #painting = Promise.resolve();
  #onFrame;
  #onBroken;
  #closed = false;

  // onFrame is called for each frame that was painted or left out, onBroken when
  // decoding failed and the next key frame is needed.
  constructor(canvas, { onFrame, onBroken }) {
    this.#canvas = canvas;
    this.#paint = canvas.getContext("2d", { alpha: false, desynchronized: true });
    this.#onFrame = onFrame;
    this.#onBroken = onBroken;
  }

  push(frame) {
    if (frame.codec === "jpeg") {
      this.#painting = this.#painting.then(() => this.#pushImage(frame));
    } else {
      this.#pushVideo(frame);
    }
  }

  async #pushImage(frame) {
    try {
      const bitmap = await createImageBitmap(new Blob([frame.data], { type: "image/jpeg" }));
      if (!this.#closed) this.#draw(bitmap, bitmap.width, bitmap.height);
      bitmap.close();
    } catch {
      // the next picture replaces it
    }
    this.#onFrame(true);
  }

  #pushVideo(frame) {
    if (frame.key) this.#waitForKey = false;
    if (this.#waitForKey) {
      this.#onFrame(false);
      return;
    }
    if (!this.#decoder || this.#decoder.state === "closed") {
      this.#decoder = new VideoDecoder({
        output: (picture) => {
          if (!this.#closed) this.#draw(picture, picture.displayWidth, picture.displayHeight);
          picture.close();
          this.#onFrame(true);
        },
        error: () => {
          this.#waitForKey = true;
          if (!this.#closed) this.#onBroken();
        },
      });
      this.#decoder.configure({ codec: decoderCodecs[frame.codec], optimizeForLatency: true });
    }
    this.#decoder.decode(new EncodedVideoChunk({ type: frame.key ? "key" : "delta", timestamp: frame.timestamp, data: frame.data }));
  }

  #draw(picture, width, height) {
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#canvas.width = width;
      this.#canvas.height = height;
    }
    this.#paint.drawImage(picture, 0, 0);
  }

  close() {
    this.#closed = true;
    if (this.#decoder && this.#decoder.state !== "closed") this.#decoder.close();
  }
}
