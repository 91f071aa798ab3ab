#pragma once

#include <optional>
#include <string_view>

#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors {

/// The format of a label's file by its own first bytes, whatever its sender calls it. nullopt for another
/// file, such as a page of HTML or a JPEG. ZPL begins with `^XA`, after nothing but `~` commands, as printer
/// drivers and carriers with pictures write them. Blanks and a byte order mark may precede a PDF and ZPL.
/// Pure.
std::optional<LabelFormat> label_format_of(std::string_view bytes);

}  // namespace waybill::connectors
