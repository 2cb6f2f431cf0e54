// Keeps a box that scrolls at its end while its reader is there, whatever heights its rows get.

const NEAR = 80;

// @param box what scrolls, which has the rows in its first element
// @param moved is called when the reader comes to the end, or leaves it
export function followEnd(box, { isAtEnd = true, moved = () => {}, nearTop = () => {} }) {
  let follows = isAtEnd;
  let top = box.scrollTop;
  const distance = () => box.scrollHeight - box.scrollTop - box.clientHeight;
  const toEnd = () => {
    follows = true;
    box.scrollTop = box.scrollHeight;
    top = box.scrollTop;
  };
  box.addEventListener(
    'scroll',
    () => {
      const was = follows;
      // Rows that grow leave the box where it is: only who scrolls up leaves the end.
      if (distance() <= NEAR) follows = true;
      else if (box.scrollTop < top - 1) follows = false;
      if (box.scrollTop < top && box.scrollTop < NEAR && !follows) nearTop();
      top = box.scrollTop;
      if (was !== follows) moved();
    },
    { passive: true },
  );
  const grown = new ResizeObserver(() => follows && toEnd());
  grown.observe(box);
  grown.observe(box.firstElementChild);
  return {
    get isAtEnd() {
      return follows;
    },
    toEnd,
    // What is shown somewhere else is not taken out of sight by rows that grow.
    leave() {
      follows = false;
    },
    // Does what changes rows above and below, and leaves what is being read where it is: the end of the first row in sight, since a row may
    // lose its author or show what it answers.
    keep(work) {
      const read = [...box.firstElementChild.children].find(
        (row) => row.getBoundingClientRect().bottom > box.getBoundingClientRect().top && row.matches('[data-id]'),
      );
      const before = read?.getBoundingClientRect().bottom;
      work();
      if (follows) toEnd();
      else if (read?.isConnected) box.scrollTop += read.getBoundingClientRect().bottom - before;
      top = box.scrollTop;
    },
    end: () => grown.disconnect(),
  };
}
