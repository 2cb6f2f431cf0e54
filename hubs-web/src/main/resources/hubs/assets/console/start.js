// Starts the console once the frame of the page is painted, which its scripts would delay. A page that nobody sees yet is not painted.
const start = () => import('./app.js');

if (document.hidden) start();
else requestAnimationFrame(() => setTimeout(start));
