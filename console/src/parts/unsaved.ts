import {session} from '../api/session.svelte';
import {place} from '../route.svelte';

/** A part of the page that something would be lost with, such as a form with changes. */
interface Held {
  element: Element;
  isHeld: () => boolean;
  ask: (leave: () => void) => void;
}

const parts = new Set<Held>();
/** True if the part goes when the page shows another place. */
function isLeft({element}: Held, to: URL): boolean {
  const from = new URL(place.path, to);
  if (from.pathname !== to.pathname) return true;
  if (!element.closest('dialog')) return false;
  // The form of a new store stays while its kind, which is in the query, is chosen.
  const opened = ({searchParams}: URL) => searchParams.get('open') ?? searchParams.has('connect');
  return opened(from) !== opened(to);
}

place.guard = (to, leave) => {
  const held = [...parts].find((part) => part.isHeld() && isLeft(part, to));
  held?.ask(leave);
  return held !== undefined;
};

addEventListener('beforeunload', (event) => {
  // Who signs in again as somebody else must not see what the one before has entered.
  if (!session.asks && [...parts].some((part) => part.isHeld())) event.preventDefault();
});

/**
 * Lets nobody leave the place of an element while `isHeld`: calls `ask` with what leaves it then. The browser asks before
 * it closes the page. Returns the end of it.
 */
export function hold(element: Element, isHeld: () => boolean, ask: (leave: () => void) => void): () => void {
  const held = {element, isHeld, ask};
  parts.add(held);
  return () => parts.delete(held);
}
