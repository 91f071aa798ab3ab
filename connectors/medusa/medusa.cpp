#include "connectors/medusa/medusa.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/percent_encoding.hpp"
#include "connectors/medusa/api.hpp"
#include "connectors/medusa/records.hpp"
#include "connectors/medusa/sweeps.hpp"
#include "connectors/medusa/tracking.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors {
namespace {

/// Far more steps than one sending needs, whatever the number of open fulfilments.
constexpr int most_steps = 50;

const json::value& order_in(const json::object& answer) {
  const auto* const order = answer.if_contains("order");
  if (order == nullptr || !order->is_object()) {
    throw StoreError(StoreProblem::wrong_store,
                     "The server at the store's address is not a Medusa 2 server: it returns no order.");
  }
  return *order;
}

std::string order_path(const std::string& id) { return "/admin/orders/" + percent_encode(id); }

class MedusaStore : public Store {
 public:
  MedusaStore(const StoreCredentials& credentials, Send send, const Clock& clock)
      : api_(credentials, std::move(send), clock) {}

  asio::awaitable<void> check(bool writes) override {
    auto answer = co_await api_.get("/admin/stores", {{"limit", "1"}});
    MedusaApi::records(answer, "stores");
    if (!writes) co_return;
    // Tries a fulfilment of an impossible order, because the server checks the key's rights before the order.
    const json::array items{json::object{{"id", "none"}, {"quantity", 1}}};
    co_await api_.require_right("/admin/orders/none/fulfillments", {{"items", items}});
  }

  std::unique_ptr<StoreSweep<StoreOrder>> orders_since(std::optional<Time> since) override {
    return sweep_medusa_orders(api_, since);
  }

  asio::awaitable<StorePage<StoreOrder>> order(std::string external_id) override {
    StorePage<StoreOrder> page;
    try {
      const auto answer =
          co_await api_.get(order_path(external_id), {{"fields", medusa_order_fields.data()}});
      add_medusa_order(order_in(answer), page);
    } catch (const MissingRecord&) {
      co_return page;
    }
    co_return page;
  }

  std::unique_ptr<StoreSweep<StoreProduct>> products_since(std::optional<Time> since) override {
    return sweep_medusa_products(api_, since);
  }

  asio::awaitable<StorePage<StoreProduct>> product(std::string external_id) override {
    return medusa_product(api_, std::move(external_id));
  }

  asio::awaitable<bool> send_tracking(StoreTracking tracking) override {
    MedusaStep done;
    for (int steps = 0; steps < most_steps; ++steps) {
      // Reads the order again after each step, so that changes by others are seen.
      const auto answer =
          co_await api_.get(order_path(tracking.order_id), {{"fields", medusa_tracking_fields.data()}});
      auto step = next_medusa_step(order_in(answer), tracking);
      if (step.kind == MedusaStep::Kind::none) co_return steps > 0;
      if (step == done) {
        throw StoreError(StoreProblem::refused,
                         refused_.empty() ? "The store does not keep the order's shipment." : refused_);
      }
      co_await perform(step);
      done = std::move(step);
    }
    throw StoreError(StoreProblem::busy, "The order keeps changing in the store while its tracking is sent.");
  }

 private:
  /// A refusal may be due to a change by others since the order was read, so it counts only if the order
  /// still needs the same step.
  asio::awaitable<void> perform(const MedusaStep& step) {
    refused_.clear();
    bool without_location = false;
    try {
      co_await api_.post(step.path, step.body);
    } catch (const StoreError& error) {
      if (error.problem() != StoreProblem::refused) throw;
      refused_ = error.what();
      without_location =
          step.kind == MedusaStep::Kind::fulfill && refused_.find("location") != std::string::npos;
    }
    if (without_location) co_await fulfill_somewhere(step);
  }

  /// For shipping options without a stock location, and servers that always require one: uses the location
  /// where the items are reserved, or else the store's first.
  asio::awaitable<void> fulfill_somewhere(const MedusaStep& step) {
    MedusaQuery query = {{"limit", "1"}, {"fields", "id,location_id"}};
    for (const auto& item : step.body.at("items").as_array()) {
      query.emplace_back("line_item_id[]", medusa_text(item, "id"));
    }
    auto reserved = co_await api_.get("/admin/reservations", std::move(query));
    std::string location;
    for (const auto& one : MedusaApi::records(reserved, "reservations"))
      location = medusa_text(one, "location_id");
    if (location.empty()) {
      auto known = co_await api_.get("/admin/stock-locations",
                                     {{"limit", "1"}, {"fields", "id"}, {"order", "created_at"}});
      for (const auto& one : MedusaApi::records(known, "stock_locations")) location = medusa_text(one, "id");
    }
    if (location.empty()) co_return;
    auto body = step.body;
    body["location_id"] = location;
    try {
      co_await api_.post(step.path, std::move(body));
    } catch (const StoreError& error) {
      if (error.problem() != StoreProblem::refused) throw;
      refused_ = error.what();
    }
  }

  MedusaApi api_;
  std::string refused_;  // the store's message if it refused the last step
};

class Medusa : public Connector {
 public:
  const ProviderTerms& terms() const override {
    static constexpr ProviderTerms terms = {.code = "medusa",
                                            .name = "Medusa",
                                            .type = "ecommerce",
                                            .api_key = "Secret API key (sk_…)",
                                            .api_secret = "",
                                            .store_url = "https://medusa.example.com"};
    return terms;
  }

  std::string normal_url(std::string_view store_url) const override { return normal_store_url(store_url); }

  /// The path is Medusa's default for its dashboard.
  std::string order_page(std::string_view store_url, std::string_view external_id) const override {
    return std::string(store_url) + "/app/orders/" + std::string(external_id);
  }

  std::unique_ptr<Store> open(StoreCredentials credentials, Send send, const Clock& clock,
                              const Options& /*options*/) const override {
    return std::make_unique<MedusaStore>(credentials, std::move(send), clock);
  }

  /// Medusa sends no webhooks by itself, and there is no secret to authenticate a call.
  InboundVerdict verify(const StoreCredentials& /*credentials*/, const InboundCall& /*call*/) const override {
    return {};
  }
};

}  // namespace

const Connector& medusa_connector() {
  static const Medusa medusa;
  return medusa;
}

}  // namespace waybill::connectors
