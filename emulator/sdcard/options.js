/** Makes a card from what tests and the command line say about it. */
import { SdCard } from './card.js';
import { FileImage } from './image.js';
import { DEFAULT_DESCRIPTION } from './registers.js';

const DEFAULTS = {
  powerUpMicros: 20_000,
  responseClocks: 5,
  gapClocks: 4,
  gapMicros: 0,
  busyMicros: 0,
  seed: 1,
};

/**
 * @param {object} options
 * @param {string | import('./image.js').Image} options.image path of an image file, or an image
 * @param {number} [options.accessMicros]
 * @returns {SdCard}
 */
export function createCard({ image, accessMicros = 200, description, delays, ...rest }) {
  return new SdCard({
    ...DEFAULTS,
    ...rest,
    image: typeof image === 'string' ? new FileImage(image) : image,
    description: { ...DEFAULT_DESCRIPTION, ...description },
    access: { next: () => accessMicros },
    delays: {
      defaultSpeed: { holdNanos: 0, validNanos: 0 },
      highSpeed: { holdNanos: 2.5, validNanos: 2.5 },
      ...delays,
    },
  });
}
