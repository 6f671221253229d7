# cmake -DHEADERS=A;B -DOUT=FILE -P header_hash.cmake: writes a header with a hash of the contents of the headers.
set(all "")
foreach(header IN LISTS HEADERS)
  file(SHA256 ${header} one)
  string(APPEND all ${one})
endforeach()
string(SHA256 all "${all}")
string(SUBSTRING ${all} 0 16 all)
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define TRAWL_HEADER_HASH \"${all}\"\n")
