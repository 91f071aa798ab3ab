#include "connectors/medusa/sweeps.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/percent_encoding.hpp"
#include "connectors/medusa/records.hpp"
#include "connectors/shown_records.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors {
namespace {

constexpr std::chrono::milliseconds resolution(1);

/// The uncertainty of the store's times: a change has the time at which its request began but is visible
/// after its commit, the clocks of a store's servers may differ, and a sweep's start is taken from the date
/// of its first answer, which is later than the query.
constexpr std::chrono::seconds overlap(90);

/// True if the store may be able to answer for fewer records.
bool is_of_few_records(const StoreError& error) {
  const bool is_too_large = dynamic_cast<const OversizedAnswer*>(&error) != nullptr;
  return is_too_large || (may_pass(error.problem()) && !error.retry_after());
}

std::string failure_to_show(const StoreError& error) {
  return "The store cannot show it: " + std::string(error.what());
}

/// A list whose rows are the records, or name the records.
struct Stage {
  MedusaList list;
  std::string named_by = {};  // the path of the record's id in a row; empty if the rows are the records
};

/// Reads stages one after another; the last one is the list of the records, which determines the progress.
template <typename Record>
class MedusaSweep : public StoreSweep<Record> {
 public:
  MedusaSweep(MedusaApi& api, std::vector<Stage> stages, std::size_t page, std::string path, std::string name,
              std::string_view fields, std::string_view state_fields, std::optional<Time> since)
      : api_(api),
        stages_(std::move(stages)),
        page_(page),
        path_(std::move(path)),
        name_(std::move(name)),
        fields_(fields),
        state_fields_(state_fields),
        reached_(since) {}

  asio::awaitable<std::optional<StorePage<Record>>> next() override {
    co_await shown_.require_some(shows_);
    co_await prepare();
    while (true) {
      if (!named_.empty()) co_return co_await named_page();
      Stage& stage = stages_[current_];
      if (stage.list.at_end()) {
        if (current_ + 1 == stages_.size()) co_return std::nullopt;
        ++current_;
        continue;
      }
      const auto rows = co_await stage.list.next();
      if (!began_) began_ = api_.store_time();
      if (!stage.named_by.empty()) name_records(rows.records, stage.named_by);
      if (!named_.empty() || (!stage.named_by.empty() && current_ + 1 < stages_.size())) continue;
      StorePage<Record> page;
      if (stage.named_by.empty()) take(rows, page);
      set_reached(page);
      co_return page;
    }
  }

 protected:
  /// Called before each page. Throws StoreError.
  virtual asio::awaitable<void> prepare() { co_return; }
  virtual void add(const json::value& record, StorePage<Record>& page) const = 0;
  virtual void set_aside(const json::value& record, std::string reason, StorePage<Record>& page) const = 0;

  MedusaApi& api_;

 private:
  /// Adds the records, or sets aside the only one that the store cannot show.
  void take(const MedusaRows& rows, StorePage<Record>& page) {
    for (const auto& record : rows.records) {
      if (rows.failure.empty()) {
        shown_.note({});
        add(record, page);
      } else if (set_aside_.insert(medusa_text(record, "id")).second) {
        shown_.note(rows.failure);
        set_aside(record, rows.failure, page);
      }
    }
  }

  /// True if the store shows this record of its whole list.
  asio::awaitable<bool> shows_record(ShownRecords::Sample sample) {
    try {
      auto answer =
          co_await api_.get(path_, {{"limit", "1"},
                                    {"offset", std::to_string(sample.place)},
                                    {"order", sample.is_newest_first ? "-updated_at" : "updated_at"},
                                    {"fields", fields_}});
      co_return !MedusaApi::records(answer, name_).empty();
    } catch (const StoreError& error) {
      if (!is_of_few_records(error)) throw;
      co_return false;
    }
  }

  void name_records(const json::array& rows, const std::string& named_by) {
    std::set<std::string> ids;
    for (const auto& row : rows) ids.insert(medusa_text(row, named_by));
    ids.erase("");  // rows without a record, such as a payment that did not lead to an order
    named_.assign(ids.begin(), ids.end());
  }

  asio::awaitable<json::array> ask_named(std::size_t count, const std::string& fields) {
    MedusaQuery query = {{"limit", std::to_string(count)}, {"fields", fields}};
    for (std::size_t i = 0; i < count; ++i) query.emplace_back("id[]", named_[i]);
    auto answer = co_await api_.get(path_, std::move(query));
    co_return MedusaApi::records(answer, name_);
  }

  asio::awaitable<StorePage<Record>> named_page() {
    while (true) {
      const auto count = std::min(named_.size(), page_.value());
      MedusaRows rows;
      std::optional<StoreError> failure;
      try {
        rows.records = co_await ask_named(count, fields_);
        page_.grow();
      } catch (const StoreError& error) {
        if (!is_of_few_records(error)) throw;
        failure = error;
      }
      if (failure) {
        if (page_.shrink()) continue;
        rows.failure = failure_to_show(*failure);
        try {
          rows.records = co_await ask_named(1, state_fields_);
        } catch (const StoreError&) {
          throw StoreError(*failure);  // the store can answer nothing
        }
        page_.trust();
      }
      StorePage<Record> page;
      take(rows, page);
      named_.erase(named_.begin(), named_.begin() + static_cast<std::ptrdiff_t>(count));
      if (named_.empty()) set_reached(page);
      co_return page;
    }
  }

  /// Sets the page's `reached` to the last change that was read, but no later than shortly before the sweep.
  void set_reached(StorePage<Record>& page) {
    if (current_ + 1 < stages_.size()) return;
    const MedusaList& list = stages_.back().list;
    const Time horizon = *began_ - overlap;
    const Time reached = list.at_end() ? horizon : std::min(list.reached().value_or(horizon), horizon);
    if (reached_ && reached <= *reached_) return;
    reached_ = page.reached = reached;
  }

  std::vector<Stage> stages_;
  std::size_t current_ = 0;
  PageSize page_;  // records read by their ids at a time
  std::string path_, name_, fields_, state_fields_;
  std::vector<std::string> named_;   // ids of records to be read
  std::set<std::string> set_aside_;  // ids of records that the store cannot show
  ShownRecords shown_;
  const ShownRecords::Shows shows_ = [this](ShownRecords::Sample sample) { return shows_record(sample); };
  std::optional<Time> reached_;
  std::optional<Time> began_;  // in the store's time
};

class OrderSweep : public MedusaSweep<StoreOrder> {
 public:
  using MedusaSweep::MedusaSweep;

 private:
  void add(const json::value& order, StorePage<StoreOrder>& page) const override {
    add_medusa_order(order, page);
  }
  void set_aside(const json::value& order, std::string reason, StorePage<StoreOrder>& page) const override {
    set_aside_medusa_order(order, std::move(reason), page);
  }
};

/// The store's default currency ("eur"), in which the prices of products are read.
asio::awaitable<std::string> default_currency(MedusaApi& api) {
  auto answer = co_await api.get("/admin/stores", {{"limit", "1"}, {"fields", "id,*supported_currencies"}});
  std::string currency;
  for (const auto& store : MedusaApi::records(answer, "stores")) {
    const auto* const object = store.if_object();
    const auto* const list = object == nullptr ? nullptr : object->if_contains("supported_currencies");
    if (list == nullptr || !list->is_array()) continue;
    for (const auto& entry : list->get_array()) {
      const auto* const flag = entry.is_object() ? entry.get_object().if_contains("is_default") : nullptr;
      const bool is_default = flag != nullptr && flag->is_bool() && flag->get_bool();
      if (is_default || currency.empty()) currency = medusa_text(entry, "currency_code");
      if (is_default) break;
    }
  }
  co_return currency;
}

class ProductSweep : public MedusaSweep<StoreProduct> {
 public:
  using MedusaSweep::MedusaSweep;

 private:
  asio::awaitable<void> prepare() override {
    if (!currency_) currency_ = co_await default_currency(api_);
  }

  void add(const json::value& product, StorePage<StoreProduct>& page) const override {
    add_medusa_product(product, *currency_, page);
  }
  void set_aside(const json::value& product, std::string reason,
                 StorePage<StoreProduct>& page) const override {
    set_aside_medusa_product(product, std::move(reason), page);
  }

  std::optional<std::string> currency_;
};

// A record that cannot be read must not stop the sweep, so the list continues behind the last readable one.
Time last_change(const json::array& records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (const auto changed = medusa_changed_at(*record)) return *changed;
  }
  throw StoreError(StoreProblem::wrong_store, "The store returned no record with a time of change.");
}

std::string last_id(const json::array& records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    if (auto id = medusa_text(*record, "id"); !id.empty()) return id;
  }
  throw StoreError(StoreProblem::wrong_store, "The store returned no record with an id.");
}

}  // namespace

asio::awaitable<MedusaRows> MedusaList::next() {
  while (true) {
    auto rows = co_await ask_page();
    // A record that was named is not asked for again.
    if (advance(rows.records) || !rows.failure.empty()) co_return rows;
  }
}

MedusaQuery MedusaList::query(const std::string& fields) const {
  MedusaQuery query = {
      {"limit", std::to_string(limit_)}, {"fields", fields}, {"order", after_id_ ? "id" : "updated_at"}};
  if (from_) query.emplace_back("updated_at[$gte]", format_timestamp(*from_));
  if (after_id_) query.emplace_back("updated_at[$lt]", format_timestamp(*from_ + resolution));
  if (after_id_ && !after_id_->empty()) query.emplace_back("id[$gt]", *after_id_);
  return query;
}

asio::awaitable<json::array> MedusaList::ask_once(const std::string& fields) {
  auto answer = co_await api_.get(terms_.path, query(fields));
  co_return MedusaApi::records(answer, terms_.name);
}

asio::awaitable<MedusaRows> MedusaList::ask_page() {
  while (true) {
    std::optional<StoreError> failure;
    try {
      if (!is_enlarged_) limit_ = size_.value();
      auto records = co_await ask_once(terms_.fields);
      if (!is_enlarged_) size_.grow();
      co_return MedusaRows{std::move(records)};
    } catch (const StoreError& error) {
      if (!is_of_few_records(error)) throw;
      failure = error;
    }
    if (!is_enlarged_ && size_.shrink()) continue;
    if (terms_.state_fields.empty()) throw StoreError(*failure);
    std::optional<json::array> records;
    try {
      records = co_await ask_once(terms_.state_fields);
    } catch (const StoreError&) {
      throw StoreError(*failure);  // the store can answer nothing
    }
    size_.trust();
    co_return MedusaRows{std::move(*records), failure_to_show(*failure)};
  }
}

bool MedusaList::advance(const json::array& records) {
  const bool full = records.size() >= limit_;
  if (after_id_) {
    after_id_ = full ? std::optional(last_id(records)) : std::nullopt;
    if (!full) from_ = *from_ + resolution;
    return true;
  }
  const auto last = records.empty() ? from_ : last_change(records);
  if (full && last == from_) {
    if (terms_.by_id) {
      after_id_ = "";
    } else {
      is_enlarged_ = true;
      limit_ *= 2;
    }
    return false;
  }
  at_end_ = !full;
  from_ = last;
  is_enlarged_ = false;
  return true;
}

std::unique_ptr<StoreSweep<StoreOrder>> sweep_medusa_orders(MedusaApi& api, std::optional<Time> since,
                                                            MedusaPages pages) {
  std::vector<Stage> stages;
  // A sweep from the first order on reads all orders anyway, with their present payments.
  if (since) {
    stages.push_back(
        {{api,
          {"/admin/payments", "payments", "id,updated_at,payment_collection.order.id", pages.light, false},
          since},
         "payment_collection.order.id"});
  }
  stages.push_back({{api,
                     {"/admin/orders", "orders", std::string(medusa_order_fields), pages.full, true,
                      std::string(medusa_order_state_fields)},
                     since}});
  return std::make_unique<OrderSweep>(api, std::move(stages), pages.full, "/admin/orders", "orders",
                                      medusa_order_fields, medusa_order_state_fields, since);
}

std::unique_ptr<StoreSweep<StoreProduct>> sweep_medusa_products(MedusaApi& api, std::optional<Time> since,
                                                                MedusaPages pages) {
  std::vector<Stage> stages;
  if (since) {
    stages.push_back(
        {{api,
          {"/admin/product-variants", "variants", "id,updated_at,product_id", pages.light, false},
          since},
         "product_id"});
  }
  stages.push_back(
      {{api, {"/admin/products", "products", "id,updated_at", pages.light, false}, since}, "id"});
  return std::make_unique<ProductSweep>(api, std::move(stages), pages.full, "/admin/products", "products",
                                        medusa_product_fields, medusa_product_state_fields, since);
}

asio::awaitable<StorePage<StoreProduct>> medusa_product(MedusaApi& api, std::string id) {
  StorePage<StoreProduct> page;
  const auto currency = co_await default_currency(api);
  try {
    const auto answer =
        co_await api.get("/admin/products/" + percent_encode(id), {{"fields", medusa_product_fields.data()}});
    const auto* const product = answer.if_contains("product");
    if (product == nullptr || !product->is_object())
      throw StoreError(StoreProblem::wrong_store,
                       "The server at the store's address is not a Medusa 2 server: it returns no product.");
    add_medusa_product(*product, currency, page);
  } catch (const MissingRecord&) {
    co_return page;
  }
  co_return page;
}

}  // namespace waybill::connectors
