#include "connectors/stored_credentials.hpp"

#include "base/crypto.hpp"
#include "storage/settings/integration_secrets.hpp"

namespace waybill::connectors {

StoreCredentials open_credentials(const SecretBox& secrets, const Guid& business, const Guid& integration,
                                  std::string_view sealed_key,
                                  const std::optional<std::string_view>& sealed_secret,
                                  std::string_view store_url) {
  const auto opened = [&](std::string_view digits, std::string_view column) {
    const auto sealed = unhex(digits);
    if (!sealed) throw SecretError("a sealed value is not hexadecimal text");
    return secrets.open(*sealed, storage::integration_purpose(business, integration, column));
  };
  StoreCredentials credentials;
  credentials.api_key = opened(sealed_key, "key");
  if (sealed_secret) credentials.api_secret = opened(*sealed_secret, "secret");
  credentials.store_url = store_url;
  return credentials;
}

}  // namespace waybill::connectors
