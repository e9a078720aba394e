# Preamble of our C++ projects, included after project(): options, kind of build, language and output folder.
#   KVASIR_SANITIZE, KVASIR_NATIVE, KVASIR_WERROR      options
#   kvasir_add_flags(<name> [<option>...])             interface library of the compiler options of a project
#   kvasir_compile_soon(<source>...)                   sources whose speed nobody sees, as those that read a command line
option(KVASIR_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(KVASIR_NATIVE "Compile for the instruction set of this machine (-march=native)" OFF)
option(KVASIR_WERROR "Treat warnings as errors; off where compilers and MPI are not ours to choose" ON)
include(CTest)
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Several sources as one compile in half the time, since most of it goes to headers: nlohmann-json's, CLI11's and ours.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()
if(NOT CMAKE_RUNTIME_OUTPUT_DIRECTORY)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endif()

function(kvasir_add_flags name)
  add_library(${name} INTERFACE)
  target_compile_options(${name} INTERFACE -Wall -Wextra $<$<BOOL:${KVASIR_WERROR}>:-Werror> ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${name} INTERFACE -Wno-restrict)  # wrong about "text" + std::string, GCC bug 105651
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_UNITY_BUILD)
    # GCC takes the joined sources for headers, and warns of types that no header may have.
    target_compile_options(${name} INTERFACE -Wno-subobject-linkage)
  endif()
  if(KVASIR_NATIVE)
    target_compile_options(${name} INTERFACE -march=native)
  endif()
  if(KVASIR_SANITIZE)
    target_compile_options(${name} INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer -g1 -O0 -UNDEBUG)
    target_link_options(${name} INTERFACE -fsanitize=address,undefined)
  else()
    target_compile_options(${name} INTERFACE $<$<CONFIG:Release>:-O3>)
  endif()
endfunction()

function(kvasir_compile_soon)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O0>)
endfunction()
