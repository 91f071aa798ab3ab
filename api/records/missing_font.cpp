#include "api/records/missing_font.hpp"

#include <string>

#include "base/joined_texts.hpp"

namespace waybill::api {

Failure font_missing(const documents::MissingFont& missing, std::string_view document) {
  return conflict(
      "The server has no font for these scripts of the " + std::string(document) + ": " +
      joined_texts(missing.scripts()) +
      ". Its operator can install one, such as Noto (Debian packages fonts-noto-core and fonts-noto-cjk), "
      "and start the server again");
}

Failure field_left_out(const documents::UnprintableField& field, std::string_view document) {
  return {ErrorCode::conflict,
          "Nothing of " + field.name() + " can be printed on the " + std::string(document) +
              ": emoji, private characters and signs that no font has are left out.",
          {{field.name(), "has no character that can be printed"}}};
}

std::vector<documents::PartyField> party_fields(const std::string& role, const std::string& name,
                                                const std::string& company,
                                                const domain::PostalAddress& address) {
  return {{role + ".name", name},
          {role + ".company", company},
          {role + ".street", address.street},
          {role + ".city", address.city},
          {role + ".state", address.state},
          {role + ".postalCode", address.postal_code}};
}

}  // namespace waybill::api
