#pragma once

#include <string_view>

#include "base/error.hpp"
#include "documents/label.hpp"

namespace waybill::api {

/// The Failure (conflict) for a document that needs a font that the server lacks; `document` names it.
Failure font_missing(const documents::MissingFont& missing, std::string_view document);

}  // namespace waybill::api
