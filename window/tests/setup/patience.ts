import { configure } from "@testing-library/dom";

// A busy machine takes its time to load a chunk. What never comes fails as well, only later.
configure({ asyncUtilTimeout: 10_000 });
