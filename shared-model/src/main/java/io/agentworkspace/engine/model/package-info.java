/** The ground floor: what a tool is, how it is described, how it fails, and what an answer looks like. */
@NullMarked
package io.agentworkspace.engine.model;

import org.jspecify.annotations.NullMarked;
