// Before the first paint, so that nothing flashes: that scripts run, and the theme that was chosen here, else the system's.
document.documentElement.classList.add('scripted');
try {
  const chosen = localStorage.getItem('theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be switched off; the system's theme it is.
}
