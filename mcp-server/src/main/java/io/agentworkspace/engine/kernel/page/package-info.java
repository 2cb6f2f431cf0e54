/** Long lists a page at a time: {@code Page} says which, {@code Cursor} where the next one begins. */
@NullMarked
package io.agentworkspace.engine.kernel.page;

import org.jspecify.annotations.NullMarked;
