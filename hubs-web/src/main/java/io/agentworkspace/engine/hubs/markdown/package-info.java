/** Markdown as safe HTML. */
@NullMarked
package io.agentworkspace.engine.hubs.markdown;

import org.jspecify.annotations.NullMarked;
