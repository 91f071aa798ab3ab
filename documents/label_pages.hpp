#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "documents/label_file.hpp"

// The pages of labels that others made. These functions read hostile files: they belong into a process of
// their own with limits of time and memory (merge_process.hpp), because a file can exhaust both, or the
// stack. One thread; no function opens a file.
namespace waybill::documents {

/// The limits of one label.
inline constexpr std::size_t most_pages = 200;
inline constexpr std::uint64_t most_decoded_bytes = std::uint64_t{256} << 20U;  // of all its streams
inline constexpr std::uint64_t most_pixels = 25'000'000;

/// Returns a new PDF with the pages of the label. Of a page of a PDF it has the contents, with the fonts and
/// images that these use, the size and the rotation. Annotations, forms, scripts, attachments, links,
/// metadata and references to other files are left out. A test label has TEST across each page. A PNG becomes
/// one page, see `page_size`. Equal labels
/// give equal PDFs. Throws UnprintableLabel if the label is larger than `largest_label_file`, encrypted,
/// damaged or beyond the limits above; std::bad_alloc.
std::string printable_pages(const LabelFile& label);

/// Returns the pages of all PDFs, which are results of `printable_pages`, in their order. Throws
/// std::exception.
std::string merge_pages(const std::vector<std::string>& pdfs);

}  // namespace waybill::documents
