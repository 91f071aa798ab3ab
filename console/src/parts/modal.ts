/**
 * Shows a dialog above the page. When it is taken away, the focus returns to where it was before, as it does when the
 * dialog is closed, or else to the content of the page.
 */
export function modal(dialog: HTMLDialogElement): () => void {
  const before = document.activeElement;
  dialog.showModal();
  return () => {
    const now = document.activeElement;
    if (now && now !== document.body && !dialog.contains(now)) return;
    for (const to of [before, document.querySelector('main')]) {
      if (to instanceof HTMLElement && to !== document.body) to.focus({preventScroll: true});
      if (document.activeElement === to) return;
    }
  };
}
