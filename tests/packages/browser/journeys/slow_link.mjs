// A link with a long round trip: the time until the first rows of a page, and the requests that waited for each other.

const latency = 300;

/** The most requests of which each began after the end of the one before. */
function inARow(requests) {
  const ended = [];
  for (const each of requests.toSorted((a, b) => a.begin - b.begin)) {
    const before = ended.filter((other) => other.end <= each.begin).map((other) => other.depth);
    ended.push({...each, depth: 1 + Math.max(0, ...before)});
  }
  return Math.max(...ended.map((each) => each.depth));
}

/**
 * Opens an address in a new page of the context, over a link whose round trip takes 300 ms. Returns, once `selector` is
 * painted, the milliseconds since the navigation, the requests in a row, and the paths that the browser asked for.
 */
export async function firstRows(context, address, selector) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  const sent = new Map();
  const requests = [];
  session.on('Network.requestWillBeSent', ({requestId, timestamp, request}) => {
    sent.set(requestId, {begin: timestamp, path: new URL(request.url).pathname});
  });
  session.on('Network.responseReceived', ({requestId, timestamp, response}) => {
    // A data: URL makes none, and no row waits for the icon.
    const counts = response.url.startsWith('http') && !response.url.endsWith('/icon.svg');
    if (counts && !response.fromDiskCache) requests.push({...sent.get(requestId), end: timestamp});
  });
  // Measured in the page, because the driver polls. The time begins with the navigation.
  await page.addInitScript((selector) => {
    const look = () =>
      document.querySelector(selector)
        ? requestAnimationFrame(() => (window.firstRows = performance.now()))
        : requestAnimationFrame(look);
    look();
  }, selector);
  await page.goto(address, {waitUntil: 'commit'});
  const took = await (await page.waitForFunction(() => window.firstRows, undefined, {polling: 'raf'})).jsonValue();
  await page.close();
  const shown = requests.filter((each) => each.end <= requests[0].begin + took / 1000);
  return {took, inARow: inARow(shown), paths: shown.map((each) => each.path)};
}
