#include "tests/simulators/woocommerce/woocommerce_simulator.hpp"

#include "tests/net/raw_server.hpp"
#include "tests/simulators/woocommerce/woocommerce_state.hpp"

namespace waybill::tests {
namespace {

RawServer::Reply raw(const Reply& reply) {
  if (reply.gate) reply.gate->wait();
  std::string headers;
  for (const auto& [name, value] : reply.headers)
    headers.append(name).append(": ").append(value).append("\r\n");
  RawServer::Reply result = RawServer::answer(reply.status, reply.body, headers);
  if (reply.kind == Reply::Kind::answer) return result;
  result.then = RawServer::Reply::Then::close;
  const std::size_t kept_bytes =
      reply.kind == Reply::Kind::cut ? result.bytes.size() - (reply.body.size() + 1) / 2 : 0;
  result.bytes.resize(kept_bytes);
  return result;
}

Received received(const RawServer::Request& request) {
  return {.method = request.method,
          .target = request.target,
          .headers = Headers(request.headers.begin(), request.headers.end()),
          .body = request.body,
          .at = {},
          .wall_at = {}};
}

}  // namespace

/// The site over http, or over https with its own certificate.
class WooCommerceSimulator::Server {
 public:
  Server(WooCommerceState& state, bool https) {
    if (!https) {
      plain_ = std::make_unique<Receiver>();
      plain_->on_request([&state](const Received& request) { return state.handle(request); });
      return;
    }
    certificate_ = std::make_unique<RawServer::Certificate>();
    secure_ = std::make_unique<RawServer>(
        [&state](const RawServer::Request& request) { return raw(state.handle(received(request))); },
        certificate_.get());
  }

  std::string url(const std::string& path) const { return secure_ ? secure_->url(path) : plain_->url(path); }
  std::string certificate() const { return certificate_ ? certificate_->pem() : ""; }

 private:
  std::unique_ptr<Receiver> plain_;
  std::unique_ptr<RawServer::Certificate> certificate_;
  std::unique_ptr<RawServer> secure_;
};

WooCommerceSimulator::WooCommerceSimulator(const Options& options)
    : state_(std::make_unique<WooCommerceState>(options)),
      server_(std::make_unique<Server>(*state_, options.https)) {
  const Lock lock(state_->mutex);
  state_->home = server_->url(options.path);
  state_->key = key();
  state_->secret = secret();
}

WooCommerceSimulator::~WooCommerceSimulator() = default;

std::string WooCommerceSimulator::url() const { return server_->url(state_->options.path); }
std::string WooCommerceSimulator::certificate() const { return server_->certificate(); }

void WooCommerceSimulator::set_rights(Rights rights) {
  const Lock lock(state_->mutex);
  state_->rights = rights;
}

void WooCommerceSimulator::revoke_key() {
  const Lock lock(state_->mutex);
  state_->key_known = false;
}

void WooCommerceSimulator::set_secret(std::string secret) {
  const Lock lock(state_->mutex);
  state_->secret = std::move(secret);
}

void WooCommerceSimulator::set_now(Time now) {
  const Lock lock(state_->mutex);
  state_->set_now = now;
}

void WooCommerceSimulator::set_clock_skew(Duration skew) {
  const Lock lock(state_->mutex);
  state_->clock_skew = skew;
}

std::int64_t WooCommerceSimulator::add_order(const json::object& fields, std::optional<Time> modified) {
  const Lock lock(state_->mutex);
  return state_->add_order(fields, modified);
}

std::int64_t WooCommerceSimulator::add_orders(std::size_t count, Time first, Duration step) {
  const Lock lock(state_->mutex);
  const std::int64_t id = state_->next_id;
  for (std::size_t i = 0; i < count; ++i) {
    state_->add_order({}, first + step * static_cast<std::int64_t>(i));
  }
  return id;
}

void WooCommerceSimulator::change_order(std::int64_t id, const json::object& fields,
                                        std::optional<Time> modified) {
  const Lock lock(state_->mutex);
  state_->change(state_->orders.at(id), fields, modified);
}

void WooCommerceSimulator::refund_order(std::int64_t id, std::string_view amount, bool all) {
  const Lock lock(state_->mutex);
  auto& record = state_->orders.at(id);
  json::array refunds = record.fields.at("refunds").as_array();
  refunds.push_back({{"id", state_->next_id++}, {"reason", ""}, {"total", "-" + std::string(amount)}});
  json::object changes = {{"refunds", std::move(refunds)}};
  if (all) changes["status"] = "refunded";
  state_->change(record, changes, std::nullopt);
}

void WooCommerceSimulator::refund_lines(std::int64_t id, const std::map<std::int64_t, double>& quantities) {
  const Lock lock(state_->mutex);
  auto& record = state_->orders.at(id);
  const std::int64_t refund = state_->next_id++;
  json::array lines;
  for (const auto& [line, quantity] : quantities) {
    lines.push_back(
        {{"id", state_->next_id++},
         {"quantity", -quantity},
         {"total", "-1.00"},
         {"meta_data", {{{"id", 1}, {"key", "_refunded_item_id"}, {"value", std::to_string(line)}}}}});
  }
  record.refunds.push_back({{"id", refund}, {"amount", "1.00"}, {"line_items", std::move(lines)}});
  json::array refunds = record.fields.at("refunds").as_array();
  refunds.push_back({{"id", refund}, {"reason", ""}, {"total", "-1.00"}});
  state_->change(record, {{"refunds", std::move(refunds)}}, std::nullopt);
}

void WooCommerceSimulator::break_order(std::int64_t id, bool is_broken) {
  const Lock lock(state_->mutex);
  state_->orders.at(id).is_broken = is_broken;
}

void WooCommerceSimulator::break_product(std::int64_t id) {
  const Lock lock(state_->mutex);
  state_->products.at(id).is_broken = true;
}

void WooCommerceSimulator::trash_order(std::int64_t id) { change_order(id, {{"status", "trash"}}); }

void WooCommerceSimulator::delete_order(std::int64_t id) {
  const Lock lock(state_->mutex);
  state_->orders.erase(id);
}

std::int64_t WooCommerceSimulator::add_product(const json::object& fields, std::optional<Time> modified) {
  const Lock lock(state_->mutex);
  return state_->add_product(fields, modified);
}

void WooCommerceSimulator::change_product(std::int64_t id, const json::object& fields) {
  const Lock lock(state_->mutex);
  state_->change(state_->products.at(id), fields, std::nullopt);
}

void WooCommerceSimulator::delete_product(std::int64_t id) {
  const Lock lock(state_->mutex);
  state_->products.erase(id);
}

std::int64_t WooCommerceSimulator::add_variation(std::int64_t product_id, const json::object& fields) {
  const Lock lock(state_->mutex);
  return state_->add_variation(product_id, fields);
}

json::value WooCommerceSimulator::order(std::int64_t id) const {
  const Lock lock(state_->mutex);
  const auto found = state_->orders.find(id);
  return found == state_->orders.end() ? json::value() : json::value(state_->to_response(found->second));
}

std::vector<json::object> WooCommerceSimulator::trackings(std::int64_t id) const {
  const Lock lock(state_->mutex);
  return state_->orders.at(id).trackings;
}

std::vector<json::object> WooCommerceSimulator::fulfillments(std::int64_t id) const {
  const Lock lock(state_->mutex);
  return state_->orders.at(id).fulfillments;
}

std::vector<json::object> WooCommerceSimulator::notes(std::int64_t id) const {
  const Lock lock(state_->mutex);
  return state_->orders.at(id).notes;
}

void WooCommerceSimulator::fail(Fault fault, std::size_t times) {
  state_->faults.add(std::move(fault), times);
}

void WooCommerceSimulator::stop_failing() { state_->faults.clear(); }

void WooCommerceSimulator::after_page(std::function<void(std::size_t pages)> act) {
  const Lock lock(state_->mutex);
  state_->after_page = std::move(act);
  state_->pages = 0;
}

std::vector<WooCommerceSimulator::Call> WooCommerceSimulator::calls() const {
  const Lock lock(state_->mutex);
  return state_->calls;
}

std::size_t WooCommerceSimulator::count(std::string_view method, std::string_view route_part) const {
  const Lock lock(state_->mutex);
  return static_cast<std::size_t>(std::ranges::count_if(state_->calls, [&](const Call& call) {
    return call.method == method && call.route.find(route_part) != std::string::npos;
  }));
}

void WooCommerceSimulator::forget_calls() {
  const Lock lock(state_->mutex);
  state_->calls.clear();
}

}  // namespace waybill::tests
