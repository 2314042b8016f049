// Before the first paint: the pages look as the window next to them was told to, else as the system does.
(function () {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  function show() {
    let choice = null;
    try {
      choice = localStorage.getItem("svc.theme");
    } catch {
      // Without storage the system decides.
    }
    const isDark = choice === "dark" || (choice !== "light" && dark.matches);
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
  }
  show();
  dark.addEventListener("change", show);
  addEventListener("storage", show);
})();
