#!/bin/sh
# Runs $CHROMIUM_PROGRAM with the arguments of Playwright, and with more disabled features. Chromium obeys only the last
# --disable-features, so an argument of the tests would replace the list of Playwright.
#
# Each window loads the pages of the omnibox popup before anybody types: with them, a short test takes twice the
# processor time.
features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup
for argument do
  shift
  case $argument in
    --disable-features=*) argument=$argument,$features ;;
  esac
  set -- "$@" "$argument"
done
exec "$CHROMIUM_PROGRAM" "$@"
