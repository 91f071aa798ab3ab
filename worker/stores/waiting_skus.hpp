#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "worker/stores/import_scope.hpp"
#include "worker/stores/import_variants.hpp"

namespace waybill::worker {

/// The SKUs in the store of a product's parts that have another one here, or none: by the store's ids of its
/// variants, and by "" for the product itself. nullopt for a part without a SKU in the store.
using WantedSkus = std::map<std::string, std::optional<std::string>>;

/// The SKU of a part of a product here: of the product itself, or of its variant with this id in the store.
std::optional<std::string> sku_of_part(const OwnProduct& own, const std::string& part);
/// Returns false if there is no such variant here.
bool set_sku_of_part(OwnProduct& own, const std::string& part, const std::optional<std::string>& sku);

/// The parts with a SKU of a product here that the store does not have any more. Variants of people keep
/// theirs.
WantedSkus outdated_skus(const OwnProduct& gone);

/// Removes SKUs from the parts of a product here that want another one or none, if the store has them in
/// another part of it.
void drop_outdated_skus(OwnProduct& own, const connectors::StoreProduct& product, const WantedSkus& wanted);

/// The products of a store that have other SKUs there than here, because others have these here or because
/// the store has none, which is true for all SKUs of a product that it does not have any more. What such a
/// product has instead is outdated: another product of the store may take it.
/// So products get the store's SKUs whatever the order in which they are read, also if they exchanged them.
class WaitingSkus {
 public:
  explicit WaitingSkus(const ImportScope& scope) : scope_(scope) {}

  asio::awaitable<void> load(PageWork& work);

  /// After the product was read again: it waits for nothing.
  void forget(const std::string& external_id);
  void add(const std::string& external_id, const Guid& product, const VariantIds& variants, WantedSkus skus);
  /// After it became known that the store does not have the product any more: its SKUs here are outdated.
  asio::awaitable<void> add_gone(PageWork& work, std::string external_id, Guid product, VariantIds variants);
  /// Notes that a product is set aside because of this SKU.
  void add_aside(const std::string& external_id, const std::string& sku);
  /// True if the part waits for a SKU.
  bool waits(const std::string& external_id, const std::string& part) const;

  /// Takes the SKU from a product here if it is outdated. Returns false if it is not.
  asio::awaitable<bool> take(PageWork& work, Guid product, std::string sku);

  /// Takes the outdated SKUs of the product for which others wait, and gives these and the freed ones to
  /// products that wait, and then the ones that those had. Returns the new owners; nil for a SKU that is
  /// free.
  asio::awaitable<std::map<std::string, Guid>> pass_on(PageWork& work, std::string external_id,
                                                       std::set<std::string> freed);

  /// Stores what changed, after the products are stored.
  asio::awaitable<void> keep(PageWork& work);

 private:
  struct Waiting {
    Guid product;
    VariantIds variants;
    WantedSkus skus;
  };

  asio::awaitable<std::optional<OwnProduct>> lock(PageWork& work, const Waiting& waiting);
  asio::awaitable<void> write_skus(PageWork& work, Guid product, OwnProduct own);
  bool is_wanted(const std::string& sku, const std::string& but_by) const;

  const ImportScope& scope_;
  std::map<std::string, Waiting> waiting_;    // by the store's ids of products
  std::map<std::string, std::string> aside_;  // SKUs of products that are set aside, by their ids
  std::set<std::string> changed_;             // ids of those that differ from the stored ones
};

}  // namespace waybill::worker
