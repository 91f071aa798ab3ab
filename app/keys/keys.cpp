#include "app/keys/keys.hpp"

#include <filesystem>

namespace waybill::app {

std::vector<SecretBox::Key> read_keys(const Config& config) {
  std::vector<SecretBox::Key> keys;
  keys.reserve(config.secret_key_files.size());
  for (const std::filesystem::path& file : config.secret_key_files) keys.push_back(SecretBox::read_key(file));
  return keys;
}

}  // namespace waybill::app
