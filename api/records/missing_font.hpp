#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "documents/label.hpp"
#include "domain/places/postal_address.hpp"

namespace waybill::api {

/// The Failure (conflict) for a document that needs a font that the server lacks; `document` names it.
Failure font_missing(const documents::MissingFont& missing, std::string_view document);

/// The Failure (conflict) for a document that cannot show anything of a field.
Failure field_left_out(const documents::UnprintableField& field, std::string_view document);

/// The fields of a sender or recipient of which a document must show something: `ROLE.name`, `ROLE.city` and
/// so on.
std::vector<documents::PartyField> party_fields(const std::string& role, const std::string& name,
                                                const std::string& company,
                                                const domain::PostalAddress& address);

}  // namespace waybill::api
