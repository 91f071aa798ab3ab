#pragma once

#include <string>
#include <string_view>

namespace waybill::domain {

/// A place as customs see it.
struct CustomsPlace {
  std::string_view country;  // ISO 3166-1 alpha-2
  std::string_view postal_code;
};

/// The territory within which goods move without a customs declaration: "EU", the ISO code of a country or of
/// a part of it, or a name of its own. The special fiscal territories of the Union are territories of their
/// own, because goods to them are declared as well.
std::string customs_territory(const CustomsPlace& place);

/// True if goods need a customs declaration on the way. The direction matters for Northern Ireland alone.
bool needs_customs_declaration(const CustomsPlace& from, const CustomsPlace& to);

}  // namespace waybill::domain
