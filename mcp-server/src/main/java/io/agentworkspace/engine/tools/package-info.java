/** The catalogue: a class for each family of tools, and the runner that every call passes through. */
@NullMarked
package io.agentworkspace.engine.tools;

import org.jspecify.annotations.NullMarked;
