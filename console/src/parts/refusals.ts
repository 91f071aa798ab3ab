/** What a refused form shows: the fields of the error that have no control, and how to take the marks away again. */
export interface Marks {
  rest: Record<string, string>;
  clear: () => void;
}

/** The name of the control for a field of an error: that of the field, or of what it is a part of. */
export function controlOf(field: string, names: ReadonlySet<string>): string | undefined {
  for (let name = field; name; name = name.slice(0, Math.max(name.lastIndexOf('.'), name.lastIndexOf('['), 0))) {
    if (names.has(name)) return name;
  }
  return undefined;
}

/**
 * Shows each refusal under the control of its field, whose name is the field's in the API, and puts the cursor in the
 * first one. A mark goes when its control is changed.
 */
export function markRefused(form: HTMLFormElement, details: Record<string, string>): Marks {
  const controls = new Map<string, HTMLElement>();
  for (const each of form.querySelectorAll<HTMLElement>('[name]')) {
    const name = each.getAttribute('name') ?? '';
    if (name && !controls.has(name)) controls.set(name, each);
  }
  const names = new Set(controls.keys());
  const texts = new Map<HTMLElement, string[]>();
  const rest: Record<string, string> = {};
  for (const [field, text] of Object.entries(details)) {
    const control = controls.get(controlOf(field, names) ?? '');
    if (control) texts.set(control, [...(texts.get(control) ?? []), text]);
    else rest[field] = text;
  }
  const marks = [...texts].map(([control, lines]) => mark(control, lines.join(' ')));
  [...controls.values()].find((control) => texts.has(control))?.focus();
  return {rest, clear: () => marks.forEach((clear) => clear())};
}

/** The text is the API's, which is English in each language of the console. */
function mark(control: HTMLElement, text: string): () => void {
  const note = document.createElement('p');
  note.id = `refused-${crypto.randomUUID()}`;
  note.className = 'refused';
  note.lang = 'en';
  note.textContent = text;
  control.setAttribute('aria-invalid', 'true');
  control.setAttribute('aria-describedby', note.id);
  (control.closest('label') ?? control).after(note);
  const clear = () => {
    note.remove();
    control.removeAttribute('aria-invalid');
    control.removeAttribute('aria-describedby');
    control.removeEventListener('input', clear);
  };
  control.addEventListener('input', clear);
  return clear;
}
