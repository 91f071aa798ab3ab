#include "worker/stores/import_products.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/exact_number.hpp"
#include "domain/values/metric.hpp"
#include "storage/sql/imports.sql.hpp"
#include "worker/stores/import_page.hpp"
#include "worker/stores/import_rules.hpp"
#include "worker/stores/import_variants.hpp"
#include "worker/stores/waiting_skus.hpp"

namespace waybill::worker {
namespace {

using connectors::StorePage;
using connectors::StoreProduct;
using connectors::StoreVariant;
using Text = std::optional<std::string>;

constexpr int most_errors = 50;  // of a run; the rest of its errors is for orders
/// Before the digest of a product that was set aside. It belongs to the product whose SKU it has.
constexpr std::string_view aside = "aside:";

void set_text(json::object& columns, std::string_view name, const Text& text) {
  if (text) columns.emplace(name, *text);
}
void set_amount(json::object& columns, std::string_view name, const Text& amount) {
  if (amount && is_amount(*amount)) columns.emplace(name, *amount);
}
/// Sets a weight or length that the API takes.
void set_measure(json::object& columns, std::string_view name, const Text& measure) {
  if (measure && is_measure(*measure)) columns.emplace(name, *measure);
}

json::object columns_of(const StoreProduct& product, const ProductCustoms& customs, json::array variants) {
  json::object columns{{"name", product.name}, {"variants", std::move(variants)}};
  set_text(columns, "sku", product.sku);
  set_text(columns, "description", product.description);
  set_text(columns, "barcode", product.barcode);
  set_amount(columns, "price", product.price);
  set_measure(columns, "weight", product.weight);
  set_measure(columns, "length", product.length);
  set_measure(columns, "width", product.width);
  set_measure(columns, "height", product.height);
  set_text(columns, "hs_code", customs.hs_code);
  set_text(columns, "origin_country", customs.origin_country);
  return columns;
}

/// Changes the weights and lengths, which are in kg and cm, to the units of the business. A measure that the
/// API does not take stays.
void convert(StoreProduct& product, const sql::imports::Units::Row& units) {
  const auto change = [](Text& measure, std::string_view unit) {
    if (measure && is_measure(*measure)) measure = domain::in_unit(number_of(*measure), unit).value_or("0");
  };
  if (units.weight_unit != "kg") {
    change(product.weight, units.weight_unit);
    for (StoreVariant& variant : product.variants) change(variant.weight, units.weight_unit);
  }
  if (units.length_unit == "cm") return;
  const auto change_lengths = [&](auto& measured) {
    for (Text* const length : {&measured.length, &measured.width, &measured.height})
      change(*length, units.length_unit);
  };
  change_lengths(product);
  for (StoreVariant& variant : product.variants) change_lengths(variant);
}

/// The SKUs of a product of the store and of its variants.
std::vector<Text> skus_in_store(const StoreProduct& product) {
  std::vector<Text> skus{product.sku};
  for (const auto& variant : product.variants) skus.push_back(variant.sku);
  return skus;
}

/// The SKUs of a product here and of its variants.
std::set<std::string> skus_of(const Text& sku, const json::array& variants) {
  std::set<std::string> skus;
  if (sku) skus.insert(*sku);
  for (const auto& variant : variants) {
    const auto* const found = find_member(variant, "sku");
    if (found != nullptr && found->is_string()) skus.emplace(found->get_string());
  }
  return skus;
}

class ProductPage {
 public:
  ProductPage(const ImportScope& scope, const std::vector<const StoreProduct*>& products, AskedOwners asked)
      : scope_(scope), asked_(std::move(asked)), waiting_(scope) {
    for (const auto* const product : products) products_.push_back(*product);
  }

  /// The store's ids of products that are not on the page and have SKUs here of its changed products.
  asio::awaitable<std::set<std::string>> owners_to_ask() {
    auto work = co_await PageWork::begin(scope_);
    co_await look_up(work);
    std::set<std::string> ids;
    for (const auto& product : products_) {
      if (is_same(product, digest_of(product))) continue;
      for (const Text& sku : skus_in_store(product)) {
        const auto holder = holders_.find(owner_of(sku));
        if (holder == holders_.end() || holder->second.external_ids.contains(product.external_id)) continue;
        ids.insert(holder->second.external_ids.begin(), holder->second.external_ids.end());
      }
    }
    for (const auto& product : products_) ids.erase(product.external_id);
    co_return ids;
  }

  asio::awaitable<PageCounts> write(std::optional<Time> reached, const std::vector<Refused>& refused) {
    auto work = co_await PageWork::begin(scope_);
    co_await look_up(work);
    for (const std::string& id : asked_.gone) co_await write_gone(work, id);
    // Products that are here come first: they may free SKUs that new ones have.
    for (const bool are_here : {true, false}) {
      for (const auto& product : products_) {
        if (is_here(product) == are_here) co_await write_product(work, product);
      }
    }
    if (!ids_.empty()) {
      co_await work.run(sql::imports::RememberProducts{.business = scope_.business,
                                                       .integration = scope_.integration,
                                                       .external_ids = ids_,
                                                       .products = guids_,
                                                       .digests = digests_,
                                                       .aside_skus = aside_skus_,
                                                       .variants = variants_});
    }
    co_await waiting_.keep(work);
    if (!asked_.ids.empty()) {
      co_await work.run(sql::imports::NoteAsked{
          .business = scope_.business, .integration = scope_.integration, .external_ids = asked_.ids});
    }
    PageCounts counts;
    counts.failed = static_cast<std::int64_t>(refused.size() + set_aside_.size());
    auto errors = refused;
    errors.insert(errors.end(), set_aside_.begin(), set_aside_.end());
    for (const Remark& remark : remarks_) {
      const std::string& id = remark.error.external_id;
      if (!remark.waiting_part || waiting_.waits(id, *remark.waiting_part)) errors.push_back(remark.error);
    }
    co_await work.commit({.counts = counts, .products_reached = reached, .most_errors = most_errors}, errors);
    co_return counts;
  }

 private:
  struct Known {
    Guid guid;
    std::string digest;
    std::optional<std::string> variants;
  };
  /// The order of ids, which are mostly numbers.
  struct ByLength {
    bool operator()(const std::string& a, const std::string& b) const {
      return std::pair(a.size(), std::string_view(a)) < std::pair(b.size(), std::string_view(b));
    }
  };
  struct Remark {
    Refused error;
    Text waiting_part = {};  // the remark holds only while this part of the product waits for its SKU
  };
  /// A product here, and its ids in this store.
  struct Holder {
    std::string name;
    std::set<std::string, ByLength> external_ids;  // several, if an earlier version merged products
  };

  asio::awaitable<void> look_up(PageWork& work) {
    if (products_.empty() && asked_.gone.empty()) co_return;
    const auto units = co_await work.run(sql::imports::Units{.business = scope_.business});
    for (auto& product : products_) convert(product, units.front());
    std::vector<std::string> ids = asked_.gone;
    std::vector<std::string> skus;
    for (const auto& product : products_) {
      ids.push_back(product.external_id);
      for (const Text& sku : skus_in_store(product)) {
        if (sku) skus.push_back(*sku);
      }
    }
    const auto rows = co_await work.run(sql::imports::KnownProducts{
        .business = scope_.business, .integration = scope_.integration, .external_ids = ids, .skus = skus});
    for (const auto& row : rows) {
      if (row.kind == "sku") {
        owners_.emplace(row.identifier, row.product_id);
      } else {
        known_.emplace(row.identifier,
                       Known{row.product_id, std::string(row.digest.value()), Text(row.variants)});
      }
    }
    co_await look_up_holders(work);
  }

  /// True if the product is as it was last imported or set aside.
  bool is_same(const StoreProduct& product, const std::string& digest) const {
    const auto known = known_.find(product.external_id);
    if (known == known_.end()) return false;
    std::string_view before = known->second.digest;
    if (before.starts_with(aside)) before.remove_prefix(aside.size());
    return before == digest;
  }

  /// True if a product here came from this one.
  bool is_here(const StoreProduct& product) const {
    const auto known = known_.find(product.external_id);
    return known != known_.end() && !known->second.digest.starts_with(aside);
  }

  /// Reads the holders of the SKUs of changed products.
  asio::awaitable<void> look_up_holders(PageWork& work) {
    std::vector<Guid> guids;
    bool has_changes = !asked_.gone.empty();
    const auto add = [&](const Text& sku) {
      if (const Guid owner = owner_of(sku); !owner.is_nil()) guids.push_back(owner);
    };
    for (const auto& product : products_) {
      if (is_same(product, digest_of(product))) continue;
      has_changes = true;
      for (const Text& sku : skus_in_store(product)) add(sku);
    }
    if (has_changes) co_await waiting_.load(work);
    if (guids.empty()) co_return;
    const auto rows = co_await work.run(sql::imports::ProductHolders{
        .business = scope_.business, .integration = scope_.integration, .products = guids});
    for (const auto& row : rows) {
      auto& holder = holders_[row.product_id];
      holder.name = row.name;
      if (row.external_id) holder.external_ids.emplace(*row.external_id);
    }
  }

  /// The product here with this SKU; nil if there is none.
  Guid owner_of(const Text& sku) const {
    const auto found = sku ? owners_.find(*sku) : owners_.end();
    return found == owners_.end() ? Guid() : found->second;
  }

  /// The product here with one of its SKUs; nil if there is none.
  Guid owner_of(const StoreProduct& product) const {
    Guid guid = owner_of(product.sku);
    for (const auto& variant : product.variants) {
      if (guid.is_nil()) guid = owner_of(variant.sku);
    }
    return guid;
  }

  /// True if one of the product's SKUs is not in use.
  bool has_free_sku(const StoreProduct& product) const {
    const auto is_free = [this](const Text& sku) { return sku && owner_of(sku).is_nil(); };
    return is_free(product.sku) || std::ranges::any_of(product.variants, [&](const StoreVariant& variant) {
             return is_free(variant.sku);
           });
  }

  /// True if the product here was imported from another product of this store; of several, the first counts.
  bool is_anothers(const Guid& guid, const StoreProduct& product) const {
    const auto holder = holders_.find(guid);
    if (holder == holders_.end()) return false;
    const auto& ids = holder->second.external_ids;
    return !ids.empty() && *ids.begin() != product.external_id;
  }

  std::string holder_text(const Guid& guid) const {
    const auto holder = holders_.find(guid);
    return holder == holders_.end() ? "another product" : "the product " + holder->second.name;
  }

  /// The SKU that the product of the store shares with the one here.
  Text shared_sku(const StoreProduct& product, const Guid& owner) const {
    Text sku = product.sku;
    for (const auto& variant : product.variants) {
      if (owner_of(sku) != owner) sku = variant.sku;
    }
    return sku;
  }

  void set_aside(const StoreProduct& product, const Guid& owner, const std::string& digest) {
    const Text sku = shared_sku(product, owner);
    set_aside_.push_back({product.external_id, std::nullopt,
                          "The product " + product.name + " is left out: its SKU " + sku.value_or("") +
                              " is that of " + holder_text(owner) + ", and SKUs are unique here."});
    ids_.push_back(product.external_id);
    guids_.push_back(owner);
    digests_.push_back(std::string(aside) + digest);
    aside_skus_.push_back(sku);
    if (sku) waiting_.add_aside(product.external_id, *sku);
    variants_.emplace_back();
  }

  void remark(const StoreProduct& product, const std::string& text, Text waiting_part = std::nullopt) {
    remarks_.push_back({{product.external_id, std::nullopt, "The product " + product.name + ": " + text},
                        std::move(waiting_part)});
  }

  /// Takes the SKUs of the store's product from products here that have others in the store.
  asio::awaitable<void> take_outdated_skus(PageWork& work, const StoreProduct& product, const Guid& guid) {
    for (const Text& sku : skus_in_store(product)) {
      const Guid owner = owner_of(sku);
      if (owner.is_nil() || owner == guid) continue;
      if (co_await waiting_.take(work, owner, *sku)) owners_.erase(*sku);
    }
  }

  /// Removes the SKUs that another product or variant has. `wanted` becomes those of another product, and
  /// names the parts without a SKU.
  StoreProduct with_free_skus(StoreProduct product, const Guid& guid, WantedSkus& wanted) {
    const auto drop = [&](Text& sku, const std::string& what, const std::string& owner, Text part) {
      remark(product,
             "the SKU " + *sku + " of " + what + " is that of " + owner +
                 ". It is left out, because SKUs are unique here.",
             std::move(part));
      sku.reset();
    };
    std::set<std::string> own;
    const auto check = [&](Text& sku, const std::string& what, const Text& part) {
      const Guid owner = owner_of(sku);
      if (!owner.is_nil() && owner != guid) {
        if (part) wanted.emplace(*part, *sku);
        return drop(sku, what, holder_text(owner), part);
      }
      if (sku && !own.insert(*sku).second) drop(sku, what, "another variant", std::nullopt);
      if (!sku && part) wanted.emplace(*part, std::nullopt);
    };
    check(product.sku, "the product", "");
    for (auto& variant : product.variants) {
      const Text part = variant.external_id.empty() ? std::nullopt : Text(variant.external_id);
      check(variant.sku, "its variant " + variant.name, part);
    }
    return product;
  }

  void remember(const StoreProduct& product, const Guid& guid, const std::string& digest,
                const VariantIds& variants) {
    ids_.push_back(product.external_id);
    guids_.push_back(guid);
    digests_.push_back(digest);
    aside_skus_.emplace_back();
    variants_.emplace_back(variant_ids_json(variants));
    auto& holder = holders_[guid];
    holder.name = product.name;
    holder.external_ids.insert(product.external_id);
    if (product.sku) owners_.emplace(*product.sku, guid);
    for (const auto& variant : product.variants) {
      if (variant.sku) owners_.emplace(*variant.sku, guid);
    }
  }

  asio::awaitable<void> write_product(PageWork& work, const StoreProduct& read) {
    const std::string digest = digest_of(read);
    if (is_same(read, digest)) co_return;
    const auto known = known_.find(read.external_id);
    const bool is_here = this->is_here(read);
    waiting_.forget(read.external_id);
    co_await take_outdated_skus(work, read, is_here ? known->second.guid : Guid());
    Guid guid = is_here ? known->second.guid : owner_of(read);
    if (is_anothers(guid, read)) {
      const bool shares_a_variant_only = !is_here && owner_of(read.sku) != guid && has_free_sku(read);
      if (!shares_a_variant_only) co_return set_aside(read, guid, digest);
      guid = Guid();
    }
    const bool is_new = guid.is_nil();
    if (is_new) guid = Guid::random();
    WantedSkus wanted;
    auto product = with_free_skus(read, guid, wanted);
    const auto customs = customs_of(read);
    for (const auto& remarks : {customs.remarks, unreadable_values(read)}) {
      for (const std::string& text : remarks) remark(read, text);
    }
    VariantIds ids;
    if (is_new) {
      auto merged = merge_variants({}, product, {});
      for (const std::string& text : merged.remarks) remark(read, text);
      ids = std::move(merged.ids);
      auto columns = columns_of(product, customs, std::move(merged.variants));
      columns["guid"] = guid.to_string();
      co_await work.run(sql::imports::AddProduct{.business = scope_.business, .product = to_json(columns)});
      std::erase_if(wanted, [](const auto& part) { return !part.second; });
    } else {
      if (!is_here)
        remark(read, "it is " + holder_text(guid) + " here, which has the SKU " +
                         shared_sku(read, guid).value_or("") + ", and its values replace those here.");
      ids = co_await change_product(work, guid, product, customs, is_here ? &known->second : nullptr, wanted);
    }
    remember(product, guid, digest, ids);
    waiting_.add(read.external_id, guid, ids, std::move(wanted));
    co_await pass_on_skus(work, read.external_id);
  }

  /// Gives the outdated and freed SKUs of a product to those that wait for them.
  asio::awaitable<void> pass_on_skus(PageWork& work, std::string external_id) {
    const auto passed_on = co_await waiting_.pass_on(work, external_id, std::exchange(freed_, {}));
    for (const auto& [sku, owner] : passed_on) {
      owners_.erase(sku);
      if (!owner.is_nil()) owners_.emplace(sku, owner);
    }
  }

  /// Lets other products of the store take the SKUs of a product that it does not have any more. The one here
  /// stays, because orders may name it, and is written again should the store show it again. If it also came
  /// from another store, it keeps them, and a product of this store with one of them is that one.
  asio::awaitable<void> write_gone(PageWork& work, std::string id) {
    const auto known = known_.find(id);
    const bool is_read = std::ranges::find(products_, id, &StoreProduct::external_id) != products_.end();
    if (is_read || known == known_.end() || known->second.digest.starts_with(aside)) co_return;
    const Known gone = known->second;
    const auto forgotten = co_await work.run(sql::imports::ForgetProduct{
        .business = scope_.business, .integration = scope_.integration, .external_id = id});
    if (!forgotten.empty()) {
      waiting_.forget(id);
      known_.erase(id);
      if (const auto holder = holders_.find(gone.guid); holder != holders_.end())
        holder->second.external_ids.erase(id);
      co_return;
    }
    ids_.push_back(id);
    guids_.push_back(gone.guid);
    digests_.emplace_back();
    aside_skus_.emplace_back();
    variants_.push_back(gone.variants);
    co_await waiting_.add_gone(work, id, gone.guid, variant_ids(gone.variants.value_or("")));
    co_await pass_on_skus(work, id);
  }

  /// Writes the product to the one here; removes the SKUs from it that it cannot have. `known` is null if the
  /// one here did not come from it. Parts that have no SKU here either are removed from `wanted`,
  /// and those of people, who may have given a SKU to what has none in the store.
  asio::awaitable<VariantIds> change_product(PageWork& work, const Guid& guid, StoreProduct& product,
                                             const ProductCustoms& customs, const Known* known,
                                             WantedSkus& wanted) {
    const auto locked =
        co_await work.run(sql::imports::LockProduct{.business = scope_.business, .product = guid});
    const auto row = locked.find();
    if (!row) co_return VariantIds();  // a product deleted here stays deleted
    OwnProduct own{.sku = Text(row->sku), .variants = exact_list(row->variants)};
    if (known != nullptr) {
      own.has_ids = known->variants.has_value();
      own.ids = variant_ids(known->variants.value_or(""));
    }
    if (known == nullptr) std::erase_if(wanted, [](const auto& part) { return !part.second; });
    const auto before = skus_of(own.sku, own.variants);
    const bool had_sku = own.sku.has_value();
    drop_outdated_skus(own, product, wanted);
    const bool has_lost_sku = had_sku && !own.sku;
    const auto gone = co_await gone_everywhere(work, guid, own, product);
    const Text sku = own.sku;
    auto merged = merge_variants(std::move(own), product, gone);
    for (const std::string& text : merged.remarks) remark(product, text);
    OwnProduct written{
        .sku = product.sku ? product.sku : sku, .variants = std::move(merged.variants), .ids = merged.ids};
    std::erase_if(wanted,
                  [&](const auto& part) { return !part.second && !sku_of_part(written, part.first); });
    const auto after = skus_of(written.sku, written.variants);
    for (const std::string& each : before) {
      if (after.contains(each)) continue;
      owners_.erase(each);
      freed_.insert(each);
    }
    auto columns = columns_of(product, customs, std::move(written.variants));
    if (has_lost_sku) columns.emplace("sku", nullptr);  // unless the store has one
    co_await work.run(sql::imports::ChangeProduct{
        .business = scope_.business, .product = guid, .changes = to_json(columns)});
    co_return std::move(merged.ids);
  }

  /// The variants here that came from the store's product, which has them no more, and from no other one.
  asio::awaitable<std::set<std::string>> gone_everywhere(PageWork& work, const Guid& guid,
                                                         const OwnProduct& own, const StoreProduct& product) {
    const auto list = gone_variants(own, product);
    std::set<std::string> gone(list.begin(), list.end());
    if (gone.empty()) co_return gone;
    const auto elsewhere =
        co_await work.run(sql::imports::VariantsElsewhere{.business = scope_.business,
                                                          .product = guid,
                                                          .integration = scope_.integration,
                                                          .external_id = product.external_id});
    for (const auto& row : elsewhere) gone.erase(std::string(row.variant));
    co_return gone;
  }

  const ImportScope& scope_;
  const AskedOwners asked_;
  std::vector<StoreProduct> products_;
  std::unordered_map<std::string, Known> known_;
  std::unordered_map<std::string, Guid> owners_;  // of SKUs
  std::map<Guid, Holder> holders_;
  std::vector<Refused> set_aside_;  // products
  std::vector<Remark> remarks_;     // about imported products
  WaitingSkus waiting_;
  std::set<std::string> freed_;  // SKUs that the product which is written does not have any more
  std::vector<std::string> ids_;
  std::vector<Guid> guids_;
  std::vector<std::string> digests_;
  std::vector<Text> aside_skus_;  // because of which products are set aside
  std::vector<Text> variants_;    // the ids of products' variants
};

asio::awaitable<WrittenPage> write_products(const ImportScope& scope,
                                            std::vector<const StoreProduct*> products,
                                            std::vector<Refused> refused, std::optional<Time> reached,
                                            AskedOwners asked = {}) {
  co_return co_await write_page([&]() -> asio::awaitable<PageCounts> {
    ProductPage page(scope, products, asked);
    co_return co_await page.write(reached, refused);
  });
}

std::vector<const StoreProduct*> distinct_products(const std::vector<StoreProduct>& products,
                                                   std::vector<Refused>& refused) {
  std::unordered_map<std::string_view, const StoreProduct*> latest;
  for (const auto& product : products) {
    const auto [entry, is_first] = latest.emplace(product.external_id, &product);
    if (!is_first && entry->second->changed_at <= product.changed_at) entry->second = &product;
  }
  std::vector<const StoreProduct*> kept;
  for (const auto& product : products) {
    if (latest.at(product.external_id) != &product) continue;
    if (product.name.empty()) {
      refused.push_back({product.external_id, std::nullopt, "The product has no name."});
    } else {
      kept.push_back(&product);
    }
  }
  return kept;
}

void make_writable(std::vector<StoreProduct>& products) {
  for (auto& product : products) {
    make_acceptable(product);
    set_price(product);
  }
}

}  // namespace

asio::awaitable<std::vector<std::string>> owners_to_ask(const ImportScope& scope,
                                                        const StorePage<StoreProduct>& page) {
  auto records = page.records;
  make_writable(records);
  std::vector<Refused> refused;
  const auto products = distinct_products(records, refused);
  std::set<std::string> ids;
  // A page that the database refuses is written product by product.
  co_await write_page([&]() -> asio::awaitable<PageCounts> {
    ProductPage changed(scope, products, {});
    ids = co_await changed.owners_to_ask();
    co_return PageCounts();
  });
  co_return std::vector<std::string>(ids.begin(), ids.end());
}

asio::awaitable<PageCounts> import_products(const ImportScope& scope, StorePage<StoreProduct> page,
                                            AskedOwners asked) {
  std::vector<Refused> refused;
  refused.reserve(page.unreadable.size());
  for (auto& each : page.unreadable) {
    refused.push_back({std::move(each.external_id), std::nullopt, std::move(each.reason)});
  }
  make_writable(page.records);
  const auto products = distinct_products(page.records, refused);
  auto whole = co_await write_products(scope, products, refused, page.reached, asked);
  if (whole.refusal.empty()) co_return whole.counts;
  co_await write_products(scope, {}, {}, std::nullopt, std::move(asked));
  for (const auto* const product : products) {
    const auto written = co_await write_products(scope, {product}, {}, std::nullopt);
    if (!written.refusal.empty())
      refused.push_back(
          {product->external_id, std::nullopt, "The product " + product->name + ": " + written.refusal});
  }
  const auto rest = co_await write_products(scope, {}, refused, page.reached);
  if (!rest.refusal.empty()) throw storage::StatementError(rest.refusal, "", "");
  co_return rest.counts;
}

}  // namespace waybill::worker
