/** A change that takes longer than this many ms is said to be slow. */
const slowAfter = 4_000;

/** Tells that the change under way is slow. */
export class Slow {
  is = $state(false);
  #timer: ReturnType<typeof setTimeout> | undefined;

  begin(): void {
    this.end();
    this.#timer = setTimeout(() => (this.is = true), slowAfter);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.is = false;
  }
}
