// The carrier of tests/packages/karrio that sells a label at once, and a gateway that never answers: carrier.mjs. Prints
// "listening on PORT" for the carrier and "hanging on PORT" for the gateway. `GET /held` of the carrier returns the number of
// requests that the gateway holds.
import http from 'node:http';

const offer = { service: 'testcarrier_standard', name: 'Standard', price: '7.90', currency: 'EUR', days: 2 };
const label = Buffer.alloc(30_000, '%PDF-1.4\n').toString('base64');
let sold = 0;
let held = 0;

function sale({ parcels, label_type }) {
  const id = `L${++sold}`;
  const numbers = parcels.map((_, parcel) => `TC${sold}-${parcel + 1}`);
  return {
    id, numbers, labels: parcels.map(() => label), label_type, service: offer.service, name: offer.name, price: offer.price,
    currency: offer.currency, page: `https://carrier.example/${numbers[0]}`,
  };
}

const carrier = http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    response.setHeader('Content-Type', 'application/json');
    if (request.url === '/rates') return response.end(JSON.stringify({ offers: [offer] }));
    if (request.url === '/labels') return response.end(JSON.stringify(sale(JSON.parse(Buffer.concat(chunks)))));
    if (request.url === '/held') return response.end(String(held));
    response.statusCode = 404;
    response.end('{"errors": [{"code": "NOT_FOUND", "message": "no such path"}]}');
  });
});
const gateway = http.createServer((request, response) => {
  request.resume();
  ++held;
  response.on('close', () => --held);
});

carrier.listen(0, '127.0.0.1', () => console.log(`listening on ${carrier.address().port}`));
gateway.listen(0, '127.0.0.1', () => console.log(`hanging on ${gateway.address().port}`));
