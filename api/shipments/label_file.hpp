#pragma once

#include <string_view>

namespace waybill::api {

/// The media type of a label of this format.
std::string_view media_type_of_label(std::string_view format);
/// All media types of labels but application/pdf.
inline constexpr std::string_view other_label_types[] = {"image/png", "application/zpl"};

}  // namespace waybill::api
