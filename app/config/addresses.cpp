#include "app/config/addresses.hpp"

#include <fstream>

namespace waybill::app {

std::string api_url(const Config& config) {
  std::ifstream file(config.data_dir / "api-url");
  std::string running;
  std::getline(file, running);
  return running.empty() ? "http://" + config.listen.text() : running;
}

std::string service_url(const Config& config) {
  return config.public_url.empty() ? api_url(config) : config.public_url;
}

}  // namespace waybill::app
