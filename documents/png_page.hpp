#pragma once

#include <string>
#include <string_view>

namespace waybill::documents {

/// Returns a PDF of one page with the image (label_pages.hpp). Throws UnprintableLabel.
std::string png_page(std::string_view png);

}  // namespace waybill::documents
