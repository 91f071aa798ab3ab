#include "api/records/missing_font.hpp"

#include <string>

namespace waybill::api {

Failure font_missing(const documents::MissingFont& missing, std::string_view document) {
  std::string scripts;
  for (const std::string& script : missing.scripts()) scripts += (scripts.empty() ? "" : ", ") + script;
  return conflict(
      "The server has no font for these scripts of the " + std::string(document) + ": " + scripts +
      ". Its operator can install one, such as Noto (Debian packages fonts-noto-core and fonts-noto-cjk), "
      "and start the server again");
}

}  // namespace waybill::api
