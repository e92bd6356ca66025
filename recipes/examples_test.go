package recipes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exampleRecipes are the recipes in examples/.
func exampleRecipes(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(all) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	var recipes []string
	for _, file := range all {
		if !strings.HasSuffix(file, ".script.yaml") {
			recipes = append(recipes, file)
		}
	}
	return recipes
}

func TestExamplesResolve(t *testing.T) {
	t.Parallel()
	for _, file := range exampleRecipes(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Parse(src, file)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if _, err := r.Resolve(Inputs{}, &LoadOptions{RecipeDir: "/r", Cwd: "/w", ReadFile: os.ReadFile}); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// TestTheManualsRecipe resolves the recipe that docs/recipe.md shows.
func TestTheManualsRecipe(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/recipe.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	recipe, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the manual shows no recipe")
	}
	mustPlan(t, recipe, nil)
}
