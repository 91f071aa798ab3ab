#pragma once

#include "connectors/connector.hpp"

namespace waybill::connectors {

/// Shopify by its Admin GraphQL API; described in docs/connectors/shopify.md.
class Shopify final : public Connector {
 public:
  const ProviderTerms& terms() const override;
  std::string normal_url(std::string_view store_url) const override;
  std::string order_page(std::string_view store_url, std::string_view external_id) const override;
  std::unique_ptr<Store> open(StoreCredentials credentials, Send send, const Clock& clock,
                              const Options& options) const override;
  InboundVerdict verify(const StoreCredentials& credentials, const InboundCall& call) const override;
};

}  // namespace waybill::connectors
