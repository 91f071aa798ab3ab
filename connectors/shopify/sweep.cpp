#include "connectors/shopify/sweep.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "connectors/shopify/changes.hpp"
#include "connectors/shopify/records.hpp"
#include "connectors/shown_records.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors {
namespace {

using Nodes = std::vector<json::object*>;

StoreError no_list(std::string_view field) {
  return {StoreProblem::busy, "The store's answer lacks its list of " + std::string(field) + "."};
}

// A connection's `nodes`.
json::array& entries_of(json::object& connection, std::string_view field) {
  auto* const found = connection.if_contains("nodes");
  if (found == nullptr || !found->is_array()) throw no_list(field);
  return found->get_array();
}

// The objects in a connection's `nodes`.
Nodes nodes_of(json::object& connection, std::string_view field) {
  Nodes nodes;
  for (auto& node : entries_of(connection, field)) {
    if (node.is_object()) nodes.push_back(&node.get_object());
  }
  return nodes;
}

// The cursor after a connection's nodes, if there are more.
std::optional<std::string> next_of(const json::object& connection) {
  const auto* const more = find_path(connection, "pageInfo.hasNextPage");
  const auto* const cursor = find_path(connection, "pageInfo.endCursor");
  if (more == nullptr || !more->is_bool() || !more->get_bool()) return std::nullopt;
  if (cursor == nullptr || !cursor->is_string()) return std::nullopt;
  return std::string(cursor->get_string());
}

json::object* object_in(json::object& object, std::string_view field) {
  auto* const found = object.if_contains(field);
  return found == nullptr ? nullptr : found->if_object();
}

json::value or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

// Reads further pages until the record's inner list is complete, and then removes its pageInfo. Entries that
// are not objects stay, so that the record's reader reports them.
asio::awaitable<void> complete(ShopifyApi& api, const ShopifyList& list, json::object& record) {
  constexpr std::size_t most_entries = 5000;
  auto* const inner = object_in(record, list.inner);
  if (inner == nullptr) co_return;  // the record's reader reports it
  auto next = next_of(*inner);
  if (!next) co_return;
  const auto* const id = record.if_contains("id");
  auto& all = entries_of(*inner, list.inner);
  std::set<std::string> cursors;
  while (next) {
    if (!cursors.insert(*next).second || all.size() > most_entries)
      throw StoreError(StoreProblem::busy, "The list does not end.");
    auto data = co_await api.call_page(
        list.more, {{"id", id == nullptr ? json::value() : *id}, {"after", or_null(next)}});
    auto* const owner = object_in(data, list.record_root);
    if (owner == nullptr) co_return;  // deleted in the meantime
    auto* const connection = object_in(*owner, list.inner);
    if (connection == nullptr) throw no_list(list.inner);
    for (auto& entry : entries_of(*connection, list.inner)) all.emplace_back(std::move(entry));
    next = next_of(*connection);
  }
  inner->erase("pageInfo");
}

// Completes the record. Returns the reason why the store cannot show its inner list; empty if it can. Throws
// StoreError if the reason is not this record.
asio::awaitable<std::string> failure_to_complete(ShopifyApi& api, const ShopifyList& list,
                                                 json::object& record) {
  try {
    co_await complete(api, list, record);
    co_return std::string();
  } catch (const StoreError& error) {
    if (!may_depend_on_size(error) || error.problem() == StoreProblem::wrong_store) throw;
    co_return "The store cannot show its " + std::string(list.inner) + ": " + error.what();
  }
}

// The variables of a request for one record of the whole list.
json::object sample_variables(const ShownRecords::Sample& sample, const std::optional<std::string>& after) {
  return {{"first", 1}, {"after", or_null(after)}, {"query", nullptr}, {"reverse", sample.is_newest_first}};
}

// The cursor before the sample; nullopt for the first record of the list.
asio::awaitable<std::optional<std::string>> cursor_before(ShopifyApi& api, const ShopifyList& list,
                                                          ShownRecords::Sample sample) {
  if (sample.place == 0) co_return std::nullopt;
  auto variables = sample_variables(sample, std::nullopt);
  variables["first"] = sample.place;
  auto data = co_await api.call(list.state, std::move(variables));
  const auto* const connection = object_in(data, list.root);
  const auto cursor = connection == nullptr ? std::nullopt : next_of(*connection);
  if (!cursor) throw no_list(list.root);  // or it has fewer records
  co_return cursor;
}

// True if the store shows this record of the list whole, with its inner list.
asio::awaitable<bool> shows_record(ShopifyApi& api, const ShopifyList& list, ShownRecords::Sample sample) {
  try {
    const auto after = co_await cursor_before(api, list, sample);
    auto data = co_await api.call(list.page, sample_variables(sample, after));
    auto* const connection = object_in(data, list.root);
    if (connection == nullptr) co_return false;
    const Nodes nodes = nodes_of(*connection, list.root);
    if (nodes.empty()) co_return false;
    co_return (co_await failure_to_complete(api, list, *nodes.front())).empty();
  } catch (const StoreError& error) {
    if (!may_depend_on_size(error) || error.problem() == StoreProblem::wrong_store) throw;
    co_return false;
  }
}

template <typename Record>
class ShopifySweep final : public StoreSweep<Record> {
 public:
  using Add = void (*)(const json::object&, StorePage<Record>&);
  using SetAside = void (*)(const json::object&, std::string reason, StorePage<Record>&);

  ShopifySweep(std::shared_ptr<ShopifyApi> api, const ShopifyList& list, Add add, SetAside set_aside,
               std::optional<Time> since)
      : api_(std::move(api)), list_(list), add_(add), set_aside_(set_aside), changes_(since) {}

  asio::awaitable<std::optional<StorePage<Record>>> next() override {
    while (!changes_.ended()) {
      StorePage<Record> page;
      auto changes = changes_;  // changes_ is replaced once the page is complete
      co_await read(changes, page);
      if (changes.reached() != changes_.reached()) page.reached = changes.reached();
      changes_ = std::move(changes);
      if (!page.records.empty() || !page.unreadable.empty() || page.reached) co_return page;
    }
    co_return std::nullopt;
  }

 private:
  struct Answer {
    json::object data;
    std::string failure;  // the reason why the store cannot show the only row whole; empty if it can
  };

  /// Requests the page, and if the store cannot show a single row, only what names it.
  asio::awaitable<Answer> ask(const ShopifyChanges& changes) {
    const std::string filter = changes.filter();
    json::object variables{{"query", filter.empty() ? json::value(nullptr) : json::value(filter)},
                           {"after", or_null(changes.after())}};
    std::optional<StoreError> failure;
    try {
      auto data = co_await api_->call_page(list_.page, variables);
      co_return Answer{std::move(data), {}};
    } catch (const ShopifyUnanswered& error) {
      failure = error;
    }
    variables["first"] = 1;
    std::optional<json::object> data;
    try {
      data = co_await api_->call(list_.state, std::move(variables));
    } catch (const StoreError&) {
      throw StoreError(*failure);  // the store can answer nothing
    }
    api_->trust(list_.page);
    co_return Answer{std::move(*data), "The store cannot show it: " + std::string(failure->what())};
  }

  asio::awaitable<void> read(ShopifyChanges& changes, StorePage<Record>& page) {
    auto answer = co_await ask(changes);
    auto* const connection = object_in(answer.data, list_.root);
    if (connection == nullptr) throw no_list(list_.root);
    const Nodes nodes = nodes_of(*connection, list_.root);
    std::vector<ShopifyChanges::Row> rows;
    for (const auto* const node : nodes) {
      const auto changed = clean_text(node->if_contains("updatedAt"));
      rows.push_back({clean_text(node->if_contains("id")).value_or(std::string()),
                      changed ? parse_timestamp(*changed) : std::nullopt});
    }
    const auto fresh = changes.take(rows, next_of(*connection));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!fresh[i]) continue;
      auto failure = answer.failure;
      if (failure.empty()) failure = co_await failure_to_complete(*api_, list_, *nodes[i]);
      shown_.note(failure);
      co_await shown_.require_some(shows_);
      if (failure.empty()) {
        add_(*nodes[i], page);
      } else {
        set_aside_(*nodes[i], std::move(failure), page);
      }
    }
  }

  std::shared_ptr<ShopifyApi> api_;
  const ShopifyList& list_;
  Add add_;
  SetAside set_aside_;
  ShopifyChanges changes_;
  ShownRecords shown_;
  const ShownRecords::Shows shows_ = [this](ShownRecords::Sample sample) {
    return shows_record(*api_, list_, sample);
  };
};

/// A page with the record of this id; empty if the store does not have it.
template <typename Record>
asio::awaitable<StorePage<Record>> read_one(std::shared_ptr<ShopifyApi> api, const ShopifyList& list,
                                            const ShopifyOperation& operation, std::string gid,
                                            void (*add)(const json::object&, StorePage<Record>&),
                                            void (*set_aside)(const json::object&, std::string,
                                                              StorePage<Record>&)) {
  StorePage<Record> page;
  const json::value id(std::move(gid));
  if (!shopify_id(&id)) co_return page;
  auto data = co_await api->call(operation, {{"id", id}});
  auto* const record = object_in(data, list.record_root);
  if (record == nullptr) co_return page;
  auto failure = co_await failure_to_complete(*api, list, *record);
  if (failure.empty()) {
    add(*record, page);
  } else {
    set_aside(*record, std::move(failure), page);
  }
  co_return page;
}

}  // namespace

std::unique_ptr<StoreSweep<StoreOrder>> shopify_orders(std::shared_ptr<ShopifyApi> api,
                                                       std::optional<Time> since) {
  return std::make_unique<ShopifySweep<StoreOrder>>(std::move(api), shopify::orders, add_shopify_order,
                                                    set_aside_shopify_order, since);
}

std::unique_ptr<StoreSweep<StoreProduct>> shopify_products(std::shared_ptr<ShopifyApi> api,
                                                           std::optional<Time> since) {
  return std::make_unique<ShopifySweep<StoreProduct>>(std::move(api), shopify::products, add_shopify_product,
                                                      set_aside_shopify_product, since);
}

asio::awaitable<std::vector<StoreLine>> shopify_order_lines(ShopifyApi& api, json::value id) {
  auto data = co_await api.call(shopify::order, {{"id", std::move(id)}});
  auto* const order = object_in(data, "order");
  if (order == nullptr) throw StoreError(StoreProblem::refused, "The store has no such order.");
  co_await complete(api, shopify::orders, *order);
  const auto* const nodes = find_path(*order, "lineItems.nodes");
  if (nodes == nullptr || !nodes->is_array()) throw no_list("lineItems");
  try {
    co_return shopify_lines(nodes->get_array());
  } catch (const std::invalid_argument& reason) {
    throw StoreError(StoreProblem::refused, reason.what());
  }
}

asio::awaitable<StorePage<StoreOrder>> shopify_order(std::shared_ptr<ShopifyApi> api,
                                                     std::string external_id) {
  return read_one<StoreOrder>(std::move(api), shopify::orders, shopify::order,
                              shopify_gid("Order", external_id), add_shopify_order, set_aside_shopify_order);
}

asio::awaitable<StorePage<StoreProduct>> shopify_product(std::shared_ptr<ShopifyApi> api,
                                                         std::string external_id) {
  return read_one<StoreProduct>(std::move(api), shopify::products, shopify::product,
                                shopify_gid("Product", external_id), add_shopify_product,
                                set_aside_shopify_product);
}

}  // namespace waybill::connectors
