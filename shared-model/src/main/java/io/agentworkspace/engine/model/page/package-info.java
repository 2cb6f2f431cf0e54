/** Pages of lists, and their cursors. */
@NullMarked
package io.agentworkspace.engine.model.page;

import org.jspecify.annotations.NullMarked;
