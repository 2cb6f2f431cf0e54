/** API keys: their tools and rows, what each may give to another, and when each was used. */
@NullMarked
package io.agentworkspace.engine.keys;

import org.jspecify.annotations.NullMarked;
