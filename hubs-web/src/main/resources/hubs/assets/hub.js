// What every page does: the theme's button.

const themes = ['system', 'light', 'dark'];
const themeButton = document.getElementById('theme');

function theme() {
  return document.documentElement.dataset.theme ?? 'system';
}

function choose(next) {
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  try {
    if (next === 'system') localStorage.removeItem('theme');
    else localStorage.setItem('theme', next);
  } catch {
    // Only for this page, then.
  }
  label();
}

function label() {
  themeButton.textContent = `Theme: ${theme()}`;
}

themeButton.addEventListener('click', () => choose(themes[(themes.indexOf(theme()) + 1) % themes.length]));
label();
themeButton.hidden = false;
