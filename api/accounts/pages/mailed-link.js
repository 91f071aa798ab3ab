// The page behind a mailed link. The token is in the address and is used only when the user presses the button, because
// programs that scan mail also follow links.
const form = document.querySelector('form');
const outcome = document.getElementById('outcome');
const token = new URLSearchParams(location.search).get('token') ?? '';
history.replaceState(null, '', location.pathname);

function showOutcome(text, isError) {
  outcome.textContent = text;
  outcome.className = isError ? 'wrong' : '';
}

function reasonOf(answer) {
  const details = Object.entries(answer.error?.details ?? {}).map(([field, reason]) => `${field} ${reason}`);
  return details.length > 0 ? details.join('; ') : answer.error?.message ?? 'The server gave no reason.';
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  showOutcome('…', false);
  try {
    const response = await fetch(form.dataset.endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token, ...Object.fromEntries(new FormData(form)) }),
    });
    const answer = await response.json();
    if (answer.success) {
      form.hidden = true;
      document.getElementById('next').hidden = false;
      showOutcome(form.dataset.done, false);
      return;
    }
    showOutcome(reasonOf(answer), true);
  } catch {
    showOutcome('The server cannot be reached; try again.', true);
  }
  button.disabled = false;
});
