// Shows the HTML of one mail. The page is sandboxed without its origin (see parts/MailFrame.svelte), so it has no
// cookies and reads nothing of the console; its policy allows no request and no script but this one.
addEventListener(
  'message',
  (event) => {
    if (event.source !== parent || typeof event.data !== 'string') return;
    const mail = new DOMParser().parseFromString(event.data, 'text/html');
    for (const meta of mail.querySelectorAll('meta[http-equiv], base')) meta.remove();
    document.replaceChild(document.adoptNode(mail.documentElement), document.documentElement);
    const height = () => parent.postMessage(document.documentElement.scrollHeight, '*');
    new ResizeObserver(height).observe(document.documentElement);
    height();
  },
  {once: true},
);
