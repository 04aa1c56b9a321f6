#!/bin/sh
# The compiler, as build.sh lets cargo call it: the last step of the hook, and no other, does what its features say.
#
# usage: rustc.sh RUSTC ARGUMENT...
case "$*" in
  *' --crate-name failwise_hook '*)
    case "$*" in *'feature="static"'*) set -- "$@" -C target-feature=+crt-static ;; esac
    case "$*" in *'feature="whole"'*) set -- "$@" -C embed-bitcode=yes -C lto=fat -C codegen-units=1 ;; esac
    ;;
  # Only what the hook is made of is compiled once more in that step.
  *' --crate-name failwise '*) set -- "$@" -C embed-bitcode=no ;;
esac
exec "$@"
