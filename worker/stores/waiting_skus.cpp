#include "worker/stores/waiting_skus.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/exact_number.hpp"
#include "storage/sql/imports.sql.hpp"
#include "worker/stores/import_rules.hpp"

namespace waybill::worker {
namespace {

using Text = std::optional<std::string>;

// The variant here that came from the store's variant with this id; null if there is none.
template <typename Own>
auto* variant_of_part(Own& own, const std::string& part) {
  const auto id = own.ids.find(part);
  using Found = decltype(own.variants.front().if_object());
  if (id == own.ids.end()) return Found(nullptr);
  for (auto& variant : own.variants) {
    auto* const object = variant.if_object();
    const auto* const guid = object == nullptr ? nullptr : object->if_contains("guid");
    if (guid != nullptr && guid->is_string() && guid->get_string() == id->second) return Found(object);
  }
  return Found(nullptr);
}

WantedSkus wanted_skus(std::string_view column) {
  WantedSkus skus;
  const auto parts = json::parse(column);
  for (const auto& part : parts.as_object()) {
    const auto& sku = part.value();
    skus.emplace(part.key(), sku.is_string() ? Text(sku.get_string()) : std::nullopt);
  }
  return skus;
}

std::string wanted_skus_json(const WantedSkus& skus) {
  json::object parts;
  for (const auto& [part, sku] : skus) parts.emplace(part, value_of(sku));
  return to_json(parts);
}

}  // namespace

Text sku_of_part(const OwnProduct& own, const std::string& part) {
  if (part.empty()) return own.sku;
  const auto* const variant = variant_of_part(own, part);
  const auto* const sku = variant == nullptr ? nullptr : variant->if_contains("sku");
  return sku != nullptr && sku->is_string() ? Text(sku->get_string()) : std::nullopt;
}

bool set_sku_of_part(OwnProduct& own, const std::string& part, const Text& sku) {
  if (part.empty()) {
    own.sku = sku;
    return true;
  }
  auto* const variant = variant_of_part(own, part);
  if (variant == nullptr) return false;
  (*variant)["sku"] = sku ? json::value(*sku) : json::value();
  return true;
}

WantedSkus outdated_skus(const OwnProduct& gone) {
  WantedSkus skus;
  if (gone.sku) skus.emplace("", std::nullopt);
  for (const auto& [part, guid] : gone.ids) {
    if (sku_of_part(gone, part)) skus.emplace(part, std::nullopt);
  }
  return skus;
}

void drop_outdated_skus(OwnProduct& own, const connectors::StoreProduct& product, const WantedSkus& wanted) {
  for (const auto& [part, sku] : wanted) {
    const Text outdated = sku_of_part(own, part);
    const auto has_it = [&](const connectors::StoreVariant& variant) { return variant.sku == outdated; };
    if (outdated && (product.sku == outdated || std::ranges::any_of(product.variants, has_it)))
      set_sku_of_part(own, part, std::nullopt);
  }
}

asio::awaitable<void> WaitingSkus::load(PageWork& work) {
  const auto rows = co_await work.run(
      storage::sql::imports::WaitingProducts{.business = scope_.business, .integration = scope_.integration});
  for (const auto& row : rows) {
    if (row.aside_sku) aside_.emplace(row.external_id, *row.aside_sku);
    if (row.wanted_skus)
      waiting_.emplace(row.external_id, Waiting{row.product_id, variant_ids(row.variants.value_or("")),
                                                wanted_skus(*row.wanted_skus)});
  }
}

void WaitingSkus::forget(const std::string& external_id) {
  aside_.erase(external_id);
  if (waiting_.erase(external_id) > 0) changed_.insert(external_id);
}

void WaitingSkus::add(const std::string& external_id, const Guid& product, const VariantIds& variants,
                      WantedSkus skus) {
  if (skus.empty()) return;
  waiting_.insert_or_assign(external_id, Waiting{product, variants, std::move(skus)});
  changed_.insert(external_id);
}

asio::awaitable<void> WaitingSkus::add_gone(PageWork& work, std::string external_id, Guid product,
                                            VariantIds variants) {
  forget(external_id);
  const Waiting gone{product, std::move(variants), {}};
  const auto own = co_await lock(work, gone);
  if (own) add(external_id, product, gone.variants, outdated_skus(*own));
}

void WaitingSkus::add_aside(const std::string& external_id, const std::string& sku) {
  aside_.insert_or_assign(external_id, sku);
}

bool WaitingSkus::waits(const std::string& external_id, const std::string& part) const {
  const auto found = waiting_.find(external_id);
  if (found == waiting_.end()) return false;
  const auto wanted = found->second.skus.find(part);
  return wanted != found->second.skus.end() && wanted->second;
}

bool WaitingSkus::is_wanted(const std::string& sku, const std::string& but_by) const {
  if (std::ranges::any_of(aside_, [&](const auto& each) { return each.second == sku; })) return true;
  return std::ranges::any_of(waiting_, [&](const auto& each) {
    return each.first != but_by &&
           std::ranges::any_of(each.second.skus, [&](const auto& part) { return part.second == sku; });
  });
}

asio::awaitable<std::optional<OwnProduct>> WaitingSkus::lock(PageWork& work, const Waiting& waiting) {
  const auto locked = co_await work.run(
      storage::sql::imports::LockProduct{.business = scope_.business, .product = waiting.product});
  const auto row = locked.find();
  if (!row) co_return std::nullopt;
  co_return OwnProduct{.sku = Text(row->sku), .variants = exact_list(row->variants), .ids = waiting.variants};
}

asio::awaitable<void> WaitingSkus::write_skus(PageWork& work, Guid product, OwnProduct own) {
  const json::object changes{{"sku", own.sku ? json::value(*own.sku) : json::value()},
                             {"variants", std::move(own.variants)}};
  co_await work.run(storage::sql::imports::ChangeProduct{
      .business = scope_.business, .product = product, .changes = to_json(changes)});
}

asio::awaitable<bool> WaitingSkus::take(PageWork& work, Guid product, std::string sku) {
  for (auto& [id, waiting] : waiting_) {
    if (waiting.product != product) continue;
    auto own = co_await lock(work, waiting);
    if (!own) continue;
    for (const auto& [part, wanted] : waiting.skus) {
      if (sku_of_part(*own, part) != sku) continue;
      set_sku_of_part(*own, part, std::nullopt);
      co_await write_skus(work, product, std::move(*own));
      if (!wanted) {
        changed_.insert(id);
        waiting.skus.erase(std::string(part));
      }
      co_return true;
    }
  }
  co_return false;
}

asio::awaitable<std::map<std::string, Guid>> WaitingSkus::pass_on(PageWork& work, std::string external_id,
                                                                  std::set<std::string> freed) {
  std::map<std::string, Guid> owners;
  if (waiting_.empty()) co_return owners;  // nobody waits for the freed ones
  const auto read = waiting_.find(external_id);
  std::optional<OwnProduct> own;
  if (read != waiting_.end()) own = co_await lock(work, read->second);
  if (own) {
    bool is_changed = false;
    for (const auto& [part, wanted] : read->second.skus) {
      const Text outdated = sku_of_part(*own, part);
      if (!outdated || !is_wanted(*outdated, external_id)) continue;
      set_sku_of_part(*own, part, std::nullopt);
      freed.insert(*outdated);
      is_changed = true;
    }
    std::erase_if(read->second.skus,
                  [&](const auto& part) { return !part.second && !sku_of_part(*own, part.first); });
    if (is_changed) co_await write_skus(work, read->second.product, std::move(*own));
  }
  for (const std::string& sku : freed) owners.emplace(sku, Guid());
  while (!freed.empty()) {
    const Text sku = freed.extract(freed.begin()).value();
    // Each round ends a wait.
    for (auto& [id, waiting] : waiting_) {
      const auto part =
          std::ranges::find_if(waiting.skus, [&](const auto& each) { return each.second == sku; });
      if (part == waiting.skus.end()) continue;
      const std::string wanting = part->first;
      waiting.skus.erase(part);
      changed_.insert(id);
      auto receiver = co_await lock(work, waiting);
      const Text before = receiver ? sku_of_part(*receiver, wanting) : std::nullopt;
      if (!receiver || !set_sku_of_part(*receiver, wanting, sku)) continue;
      co_await write_skus(work, waiting.product, std::move(*receiver));
      owners[*sku] = waiting.product;
      if (before) {
        owners[*before] = Guid();
        freed.insert(*before);
      }
      break;
    }
  }
  std::erase_if(waiting_, [](const auto& each) { return each.second.skus.empty(); });
  co_return owners;
}

asio::awaitable<void> WaitingSkus::keep(PageWork& work) {
  if (changed_.empty()) co_return;
  std::vector<std::string> ids;
  std::vector<Text> skus;
  for (const std::string& id : changed_) {
    const auto found = waiting_.find(id);
    ids.push_back(id);
    const bool waits = found != waiting_.end() && !found->second.skus.empty();
    skus.push_back(waits ? Text(wanted_skus_json(found->second.skus)) : std::nullopt);
  }
  co_await work.run(storage::sql::imports::KeepWantedSkus{.business = scope_.business,
                                                          .integration = scope_.integration,
                                                          .external_ids = ids,
                                                          .wanted_skus = skus});
}

}  // namespace waybill::worker
