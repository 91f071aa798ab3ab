#include "app/keys/keys.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace waybill::app {

std::vector<SecretBox::Key> read_keys(const Config& config) {
  std::vector<SecretBox::Key> keys;
  keys.reserve(config.secret_key_files.size());
  for (const std::filesystem::path& file : config.secret_key_files) {
    try {
      keys.push_back(SecretBox::read_key(file));
    } catch (const SecretError& error) {
      refuse_file("--secret-key-file", file, error.what());
    }
  }
  return keys;
}

void refuse_file(const std::string& option, const std::filesystem::path& file, const std::string& reason) {
  std::ifstream input(file, std::ios::binary);
  const bool is_open = input.is_open();
  input.peek();
  if (!is_open || input.bad()) throw std::runtime_error(option + ": " + reason);
  throw ConfigError(option + ": " + reason);
}

}  // namespace waybill::app
