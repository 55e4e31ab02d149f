import type { Duplex } from "node:stream";
import { type Ear, openWire, type Wire } from "./framing.ts";
import { isFar, type Place } from "./place.ts";

const BEAT_MS = 1_000;
/** So many beats without a byte, and the other side is taken for lost. */
const SILENT_BEATS = 5;
/** So many beats that the other side has not taken: it says that it is there and reads nothing, and what is sent to it would be kept here without end. */
const UNTAKEN_BEATS = 30;
const BEAT: Buffer = Buffer.alloc(4);

/**
 * Frames over a stream to or from a place. Between machines both sides send an empty frame each second, and one that has sent nothing for five
 * (stopped, cut off, a machine that is gone) has closed the wire: TCP alone would not tell for hours. Beats are counted, not time, so that a
 * process that was stopped itself does not take the other for lost when it goes on.
 */
export function openWireAt<Out extends object, In>(place: Place, stream: Duplex, ear: Ear<In>): Wire<Out> {
  if (!isFar(place)) return openWire(stream, ear);
  const wire = openWire<Out, In>(stream, { ...ear, takesBeats: true });
  let [silent, untaken] = [0, 0];
  const timer = setInterval(() => {
    silent += 1;
    if (silent > SILENT_BEATS || untaken >= UNTAKEN_BEATS) wire.end();
    else if (stream.writable) {
      untaken += 1;
      stream.write(BEAT, () => {
        untaken -= 1;
      });
    }
  }, BEAT_MS);
  stream
    .on("data", () => {
      silent = 0;
    })
    .once("close", () => clearInterval(timer));
  return wire;
}
