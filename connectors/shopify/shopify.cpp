#include "connectors/shopify/shopify.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/ascii.hpp"
#include "base/joined_texts.hpp"
#include "connectors/shopify/api.hpp"
#include "connectors/shopify/json.hpp"
#include "connectors/shopify/sweep.hpp"
#include "connectors/shopify/tracking.hpp"
#include "connectors/store_call.hpp"
#include "net/destination/destination.hpp"

namespace waybill::connectors {
namespace {

constexpr std::string_view shop_domain = ".myshopify.com";
constexpr std::string_view admin_host = "admin.shopify.com";

bool is_shop_name(std::string_view name) {
  return !name.empty() && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

// The shop in the path of a URL of Shopify's admin, /store/NAME….
std::string admin_shop(std::string_view url) {
  constexpr std::string_view before = "/store/";
  const auto path = url.substr(std::min(url.size(), url.find('/', url.find("://") + 3)));
  const auto start = path.find(before);
  if (start == std::string_view::npos) return {};
  const auto name = path.substr(start + before.size());
  return std::string(name.substr(0, name.find_first_of("/?#")));
}

// The shop's name in a URL on Shopify's hosts; empty for other URLs.
std::string shop_of(const std::string& url) {
  const auto destination = net::parse_destination(url);
  constexpr int http_port = 80;
  constexpr int https_port = 443;
  if (!destination || url.find('@') != std::string::npos) return {};
  if (destination->port != http_port && destination->port != https_port) return {};
  std::string name;
  if (destination->host == admin_host) {
    name = admin_shop(url);
  } else if (destination->host.ends_with(shop_domain)) {
    name = destination->host.substr(0, destination->host.size() - shop_domain.size());
  }
  return is_shop_name(name) ? name : std::string();
}

std::set<std::string> granted_scopes(const json::object& data) {
  std::set<std::string> scopes;
  for (const auto& entry : shopify::list(data, "currentAppInstallation.accessScopes")) {
    if (entry.is_object()) scopes.insert(shopify::code(entry.get_object(), "handle"));
  }
  return scopes;
}

// A write scope includes the right to read (shopify.dev, "API access scopes").
bool may_read(const std::set<std::string>& scopes, const std::string& resource) {
  return scopes.contains("read_" + resource) || scopes.contains("write_" + resource);
}

void require_scopes(const std::set<std::string>& scopes, bool writes) {
  std::vector<std::string_view> missing;
  const auto lacks = [&](std::string_view scope) { missing.push_back(scope); };
  if (!may_read(scopes, "orders")) lacks("read_orders");
  if (!may_read(scopes, "products")) lacks("read_products");
  // fulfillmentCreate needs one of these for fulfillment orders of the merchant or of the app.
  if (writes && !scopes.contains("write_merchant_managed_fulfillment_orders") &&
      !scopes.contains("write_assigned_fulfillment_orders")) {
    lacks("write_merchant_managed_fulfillment_orders");
  }
  if (missing.empty()) return;
  throw StoreError(StoreProblem::credentials,
                   "The app lacks access scopes in the store: " + joined_texts(missing) + ".");
}

class ShopifyStore final : public Store {
 public:
  ShopifyStore(StoreCredentials credentials, Send send, const Clock& clock, const std::string& version)
      : api_(std::make_shared<ShopifyApi>(std::move(credentials), std::move(send), clock, version)) {}

  asio::awaitable<void> check(bool writes) override {
    const auto data = co_await api_->call(shopify::check, {});
    require_scopes(granted_scopes(data), writes);
  }

  std::unique_ptr<StoreSweep<StoreOrder>> orders_since(std::optional<Time> since) override {
    return shopify_orders(api_, since);
  }

  asio::awaitable<StorePage<StoreOrder>> order(std::string external_id) override {
    return shopify_order(api_, std::move(external_id));
  }

  std::unique_ptr<StoreSweep<StoreProduct>> products_since(std::optional<Time> since) override {
    return shopify_products(api_, since);
  }

  asio::awaitable<StorePage<StoreProduct>> product(std::string external_id) override {
    return shopify_product(api_, std::move(external_id));
  }

  asio::awaitable<bool> send_tracking(StoreTracking tracking) override {
    return shopify_send_tracking(api_, std::move(tracking));
  }

 private:
  std::shared_ptr<ShopifyApi> api_;
};

}  // namespace

const ProviderTerms& Shopify::terms() const {
  static const ProviderTerms terms{
      .code = "shopify",
      .name = "Shopify",
      .type = "ecommerce",
      .api_key = "Client ID",
      .api_secret = "Client secret, or an Admin API access token (shpat_…)",
      .store_url = "https://example.myshopify.com",
  };
  return terms;
}

std::string Shopify::normal_url(std::string_view store_url) const {
  const auto start = store_url.find_first_not_of(" \t\r\n\f\v");
  std::string url(start == std::string_view::npos ? std::string_view() : store_url.substr(start));
  url.resize(url.find_last_not_of(" \t\r\n\f\v") + 1);
  const bool bare = url.find("://") == std::string::npos;
  const std::string shop = shop_of(bare ? "https://" + url : url);
  // Always uses TLS: Shopify supports nothing else, and the request carries the secret.
  if (!shop.empty()) return "https://" + shop + std::string(shop_domain);
  return normal_store_url(url);
}

// Shopify redirects this address to admin.shopify.com.
std::string Shopify::order_page(std::string_view store_url, std::string_view external_id) const {
  return std::string(store_url) + "/admin/orders/" + std::string(external_id);
}

std::unique_ptr<Store> Shopify::open(StoreCredentials credentials, Send send, const Clock& clock,
                                     const Options& options) const {
  return std::make_unique<ShopifyStore>(std::move(credentials), std::move(send), clock,
                                        options.shopify_version);
}

// shopify.dev, "Verify webhook deliveries"
InboundVerdict Shopify::verify(const StoreCredentials& credentials, const InboundCall& call) const {
  const auto signature = call.header("x-shopify-hmac-sha256");
  InboundVerdict verdict;
  if (credentials.api_secret.empty() || !signature ||
      !signature_matches(credentials.api_secret, call.body, *signature))
    return verdict;
  verdict.kind = InboundVerdict::Kind::hint;
  if (const auto id = call.header("x-shopify-webhook-id")) verdict.delivery_id = clean_text(*id);
  return verdict;
}

}  // namespace waybill::connectors
