/** What a tool is, who calls it, and what a response looks like. */
@NullMarked
package io.agentworkspace.engine.model.tool;

import org.jspecify.annotations.NullMarked;
